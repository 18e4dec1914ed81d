import fc from 'fast-check';
import { expect, test } from 'vitest';
import { interpolate } from '../../../src/exporter/configuration/environment.ts';

const reference = (name: string) => `$\{${name}}`;

test('a variable is replaced wherever it stands in the text', () => {
  const text = `https://${reference('HOST')}:${reference('PORT')}/`;
  expect(interpolate(text, { HOST: 'a.example', PORT: '8080' }).text).toBe('https://a.example:8080/');
});

test('a doubled dollar stands for the characters themselves', () => {
  expect(interpolate(`$${reference('HOST')}`, { HOST: 'x' })).toEqual({
    text: reference('HOST'),
    problems: [],
  });
});

test('a dollar alone means nothing', () => {
  expect(interpolate('5$ and $HOME', { HOME: 'x' })).toEqual({ text: '5$ and $HOME', problems: [] });
});

test('what a variable holds is not looked at again', () => {
  const env = { A: reference('B'), B: 'secret' };
  expect(interpolate(reference('A'), env).text).toBe(reference('B'));
});

test('a variable that is not set is a problem that names it', () => {
  expect(interpolate(reference('NOPE'), {}).problems).toEqual(['the environment variable NOPE is not set']);
});

test.each(['{', '{}', '{1ST}', '{A B}', '{A:-b}', '{OPEN'])('$%s is a problem', (text) => {
  expect(interpolate(`$${text}`, {}).problems).toHaveLength(1);
});

test('any value arrives as it is', () => {
  fc.assert(fc.property(fc.string(), (value) => interpolate(reference('V'), { V: value }).text === value));
});
