import type { ErrorCode } from 'yaml';

const PROBLEMS: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias can have neither a tag nor an anchor of its own',
  BAD_ALIAS: 'this alias or anchor is malformed',
  BAD_COLLECTION_TYPE: 'this tag does not fit what follows it',
  BAD_DIRECTIVE: 'this directive is malformed',
  BAD_DQ_ESCAPE: 'this escape sequence is not valid in double quotes',
  BAD_INDENT: 'the indentation does not fit, or a bracket is not closed',
  BAD_PROP_ORDER: 'anchors and tags belong after the indicator',
  BAD_SCALAR_START: 'text cannot start with this character: put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a mapping or list cannot stand here: check the colons and the indentation',
  BLOCK_IN_FLOW: 'indented blocks cannot stand inside brackets',
  DUPLICATE_KEY: 'this key occurs twice in its mapping',
  IMPOSSIBLE: 'this is not valid YAML',
  KEY_OVER_1024_CHARS: 'this key is too long',
  MISSING_CHAR: 'a quote, comma, colon, hyphen or space is missing, or the indentation does not fit',
  MULTILINE_IMPLICIT_KEY: 'a key must be on one line: check the colons and the quotes',
  MULTIPLE_ANCHORS: 'only one anchor can stand here',
  MULTIPLE_DOCS: 'expected a single document: remove what follows "---"',
  MULTIPLE_TAGS: 'only one tag can stand here',
  NON_STRING_KEY: 'a key must be text',
  RESOURCE_EXHAUSTION: 'is nested too deeply',
  TAB_AS_INDENT: 'tabs cannot indent: use spaces',
  TAG_RESOLVE_FAILED: 'this tag is unknown, or what follows it does not fit',
  UNEXPECTED_TOKEN: 'this is not expected here',
};

/** What is wrong with the YAML, in words that repeat nothing of the file, since that may be a secret. */
export function yamlProblem(code: ErrorCode): string {
  return PROBLEMS[code];
}
