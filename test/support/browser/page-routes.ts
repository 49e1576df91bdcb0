// Routes of the dashboard pages, read from its route tables, so that a test can list the pages that the test has not
// visited.

import { readFile } from 'node:fs/promises'

/** Path of a route in its route table, with a regular expression that matches the URLs of the page. */
export interface PageRoute {
  readonly path: string
  readonly address: RegExp
}

const TABLES = ['routes.tsx', 'outside.tsx']

/** Returns every page route, with and without login. */
export async function pageRoutes(): Promise<PageRoute[]> {
  const sources = await Promise.all(
    TABLES.map((name) => readFile(new URL(`../../../dashboard/${name}`, import.meta.url), 'utf8')),
  )
  const paths = sources.join('').matchAll(/'(\/[\w/:-]*\??)'(?=, \(\) =>|:)/g)
  return [...paths].map(([, path = '']) => ({
    path,
    address: new RegExp(`^${path.replace(/\/:\w+\?/g, '(?:/[^/]+)?').replace(/:\w+/g, '[^/]+')}$`),
  }))
}

/** True for pages in the workspace of a domain, and for test inboxes. */
export const isOfDomain = (path: string): boolean => /^\/(?:domains\/:domainId\/|inboxes|mailbox)/.test(path)

/** Returns the routes that match none of these URL paths. */
export const unvisited = (routes: readonly PageRoute[], addresses: readonly string[]): string[] =>
  routes
    .filter(({ address }) => !addresses.some((one) => address.test(one.replace(/\?.*/, ''))))
    .map(({ path }) => path)
