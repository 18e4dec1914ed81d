/** The top-level names of a document as they are written in JSON and YAML: `settle_ms` for `settleMs`. */
export function snakeKeys(document: object): Record<string, unknown> {
  return renamed(document, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

/** The reverse. A name in camel case stays as it is, so that the schema refuses it. */
export function camelKeys(document: object): Record<string, unknown> {
  return renamed(document, (name) =>
    /[A-Z]/.test(name) ? `"${name}"` : name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  );
}

function renamed(document: object, rename: (name: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(document).map(([name, value]) => [rename(name), value]));
}
