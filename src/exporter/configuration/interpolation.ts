/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g;

/**
 * The text with each `${NAME}` replaced by the variable's value and each `$${` by `${`. A problem says what is wrong
 * with a reference; it never repeats a value.
 */
export function interpolate(text: string, env: Environment): { text: string; problems: string[] } {
  const problems: string[] = [];
  const filled = text.replaceAll(REFERENCE, (whole, name: string | undefined, end: string | undefined) => {
    if (name === undefined) return '${';
    if (end === '' || !/^[A-Za-z_]\w*$/.test(name)) {
      problems.push(
        `expected a variable such as "\${EDGE_TOKEN}"; "$\${" stands for the characters themselves`,
      );
      return whole;
    }
    const value = env[name];
    if (value === undefined) problems.push(`the environment variable ${name} is not set`);
    return value ?? whole;
  });
  return { text: filled, problems };
}
