import { expect, it } from 'vitest';
import { AccountTargets } from '../../../src/exporter/account/account-targets.ts';
import { PRODUCTS } from '../../../src/exporter/catalogue/products.ts';
import { CONFIG } from '../../../src/exporter/configuration/schema.ts';

const [product] = PRODUCTS.filter(({ slug }) => slug === 'edge_applications');
const [account] = CONFIG.parse({
  accounts: [
    {
      name: 'a',
      api_url: 'https://api.example.net',
      token: 't',
      collectors: { metrics: { products: { edge_applications: {} } } },
    },
  ],
}).accounts;

function listed(...names: string[]) {
  return names.map((name, index) => ({ id: `${index}`, name, active: true, domains: ['1', '2'] }));
}

it('remembers no second copy of a list that is as before, and takes what has changed', () => {
  if (product === undefined || account === undefined) throw new Error('nothing to read');
  const targets = new AccountTargets(account);
  const known = () => targets.configurations(product) ?? [];
  expect(targets.discovered(product, listed('shop', 'blog'), 'configuration')).toBe(true);
  const [shop, blog] = known();
  expect(targets.discovered(product, listed('shop', 'blog'), 'configuration')).toBe(false);
  expect(known()[0]).toBe(shop);
  expect(known()[1]).toBe(blog);
  expect(targets.discovered(product, listed('shop', 'news', 'docs'), 'configuration')).toBe(true);
  expect(known()[0]).toBe(shop);
  expect(known().map(({ name }) => name)).toEqual(['shop', 'news', 'docs']);
  const [, news, docs] = known();
  // The first configuration is no longer listed.
  expect(targets.discovered(product, listed('shop', 'news', 'docs').slice(1), 'configuration')).toBe(true);
  expect(known()[0]).toBe(news);
  expect(known()[1]).toBe(docs);
});
