import fc from 'fast-check';
import { expect, test } from 'vitest';
import { html, trusted } from '../../../src/exporter/page/html.ts';
import { ANY_CHARACTER } from '../../any-character.ts';

test('text is escaped, for content and for quoted attributes', () => {
  expect(html`<a title="${`"'<&>`}">${'<script>'}</a>`.markup).toBe(
    '<a title="&quot;&#39;&lt;&amp;&gt;">&lt;script&gt;</a>',
  );
});

test('markup within markup is escaped once, lists are joined, nothing shows nothing', () => {
  const inner = html`<b>${'&'}</b>`;
  expect(html`${[inner, 'x<', 3]}${null}${undefined}${trusted('<hr>')}`.markup).toBe(
    '<b>&amp;</b>x&lt;3<hr>',
  );
});

test('no text can open a tag or leave an attribute', () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
      expect(html`${text}`.markup).not.toMatch(/[<>"']/);
    }),
  );
});
