import { expect, test } from 'vitest';
import {
  type ConfigIssue,
  formatIssue,
  formatPath,
  inOrder,
} from '../../../src/exporter/configuration/issue.ts';

test('an issue reads as file, line, column, path and message', () => {
  const issue = {
    source: 'a.yaml',
    line: 3,
    column: 5,
    path: 'accounts[0].name',
    message: 'must not be empty',
  };
  expect(formatIssue(issue)).toBe('a.yaml:3:5: accounts[0].name: must not be empty');
});

test('an issue without a place or a path leaves them out', () => {
  expect(formatIssue({ source: 'environment', path: '', message: 'is odd' })).toBe('environment: is odd');
});

test('a path puts positions and odd keys in brackets', () => {
  expect(formatPath(['accounts', 0, 'units', 'a b', 'c-d'])).toBe('accounts[0].units["a b"].c-d');
  expect(formatPath([])).toBe('');
});

test('issues come in the order of the file, each once', () => {
  const at = (line: number, column: number): ConfigIssue => ({
    source: 'a',
    line,
    column,
    path: '',
    message: 'm',
  });
  expect(inOrder([at(2, 1), at(1, 9), at(2, 1), at(1, 2)])).toEqual([at(1, 2), at(1, 9), at(2, 1)]);
});
