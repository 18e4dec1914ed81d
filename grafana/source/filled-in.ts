/** An expression with values in the place of its variables, as Grafana fills them in. */
export function filledIn(expression: string, values: Readonly<Record<string, string>>): string {
  const names = Object.keys(values).sort((a, b) => b.length - a.length);
  return names.reduce((text, name) => text.replaceAll(`$${name}`, () => values[name] ?? ''), expression);
}
