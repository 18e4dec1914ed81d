/** Piece of a pattern: a test of one character, or `*` for any text. */
type GlobPiece = '*' | ((character: string) => boolean);

/** Maximum number of alternatives of a pattern; each `{a,b}` doubles them. */
const MOST_ALTERNATIVES = 100;

/** Maximum number of cached results: the same few dimensions, families and accounts are matched again and again. */
const MOST_REMEMBERED = 1_000;

/**
 * Returns a function that is true for texts that match any of the patterns. `*` is any text, `?` any character, `[a-c]` one of
 * these, `[!a-c]` one of the others, `{a,b}` either, and `\` escapes the next character. An invalid pattern matches its own text.
 */
export function matchesAny(patterns: readonly string[]): (text: string) => boolean {
  // Names without a wildcard are looked up in a set, because a list may have ten thousand.
  const words = new Set(patterns.filter((pattern) => isWord(pattern)));
  const globs = patterns.flatMap((pattern) => (isWord(pattern) ? [] : (parseGlob(pattern) ?? [])));
  const known = new Map<string, boolean>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    // Visitors can invent names, so a full cache is cleared.
    if (known.size >= MOST_REMEMBERED) known.clear();
    const characters = globs.length === 0 ? [] : [...text];
    const answer = words.has(text) || globs.some((pieces) => matches(pieces, characters));
    known.set(text, answer);
    return answer;
  };
}

/** Returns true for a valid pattern: its brackets are balanced, and it has at most 100 alternatives. */
export function isGlob(pattern: string): boolean {
  return parseGlob(pattern) !== undefined;
}

/** Returns true if the pattern matches only its own text. */
export function isWord(pattern: string): boolean {
  return !/[*?[\]{}\\]/.test(pattern) || !isGlob(pattern);
}

/**
 * Returns true if the characters match. Takes at most text times pieces steps, because it only returns to the last `*`. A regular
 * expression may take exponentially many.
 */
function matches(pieces: readonly GlobPiece[], characters: readonly string[]): boolean {
  let [piece, star, resume, at] = [0, -1, 0, 0];
  while (at < characters.length) {
    const wanted = pieces[piece];
    if (wanted === '*') {
      star = piece++;
      resume = at;
    } else if (wanted?.(characters[at] ?? '')) {
      piece++;
      at++;
    } else if (star >= 0) {
      piece = star + 1;
      at = ++resume;
    } else return false;
  }
  return pieces.slice(piece).every((rest) => rest === '*');
}

/** Returns the pattern's alternatives; undefined if it is not valid. */
function parseGlob(pattern: string): GlobPiece[][] | undefined {
  const alternatives = expand(pattern);
  if (alternatives.length > MOST_ALTERNATIVES) return undefined;
  const parsed = alternatives.map(piecesOf);
  return parsed.every((pieces) => pieces !== undefined) ? parsed : undefined;
}

/** Returns the pattern without braces, once per alternative, up to one above the limit. */
function expand(pattern: string): string[] {
  const [, before, inside, after] =
    /^((?:[^\\{[]|\\.|\[[^\]]*\])*)\{((?:[^\\{}]|\\.)*)\}(.*)$/su.exec(pattern) ?? [];
  if (before === undefined || inside === undefined || after === undefined) return [pattern];
  const expanded: string[] = [];
  for (const alternative of inside.split(',')) {
    if (expanded.length > MOST_ALTERNATIVES) break;
    expanded.push(...expand(before + alternative + after));
  }
  return expanded;
}

const TOKEN =
  /\\(?<escaped>.)|\[(?<negated>[!^]?)(?<listed>\]?[^\]]*)\]|(?<wild>[*?])|(?<plain>[^\\[\]{}])/su;

function piecesOf(pattern: string): GlobPiece[] | undefined {
  const pieces: GlobPiece[] = [];
  let end = 0;
  for (const { 0: token, index, groups = {} } of pattern.matchAll(new RegExp(TOKEN, 'gsu'))) {
    if (index !== end) return undefined;
    end += token.length;
    const { escaped, listed, negated, wild, plain } = groups;
    if (listed !== undefined) pieces.push(oneOf(listed, negated !== ''));
    else if (wild === undefined) pieces.push(same(escaped ?? plain ?? ''));
    else pieces.push(wild === '*' ? '*' : () => true);
  }
  return end === pattern.length ? pieces : undefined;
}

function same(wanted: string): GlobPiece {
  return (character) => character === wanted;
}

function oneOf(listed: string, negated: boolean): GlobPiece {
  const ranges = [...listed.matchAll(/(.)-(.)|(.)/gsu)].map(
    ([, from = '', to = '', single = '']) => [from || single, to || single] as const,
  );
  return (character) => negated !== ranges.some(([from, to]) => from <= character && character <= to);
}
