/** Returns an expression with its variables replaced by values, as Grafana does. */
export function filledIn(expression: string, values: Readonly<Record<string, string>>): string {
  const names = Object.keys(values).sort((a, b) => b.length - a.length);
  return names.reduce((text, name) => text.replaceAll(`$${name}`, () => values[name] ?? ''), expression);
}
