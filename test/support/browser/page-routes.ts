// Routes of the dashboard pages, read from its tables, so that a test can tell which pages it has not visited.

import { readFile } from 'node:fs/promises'

/** Path of a route in its table, with the expression that matches its addresses. */
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

/** True for pages of the workspace of a domain, and the mailbox. */
export const isOfDomain = (path: string): boolean => /^\/(?:domains\/:domainId\/|mailbox)/.test(path)

/** Returns the routes that none of these addresses leads to. */
export const unvisited = (routes: readonly PageRoute[], addresses: readonly string[]): string[] =>
  routes
    .filter(({ address }) => !addresses.some((one) => address.test(one.replace(/\?.*/, ''))))
    .map(({ path }) => path)
