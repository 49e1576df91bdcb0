// Routes of the dashboard's pages, read from its tables, so that a test can tell which pages it has not looked at.

import { readFile } from 'node:fs/promises'

/** Path of a route, as its table has it, with the expression that its addresses match. */
export interface PageRoute {
  readonly path: string
  readonly address: RegExp
}

const TABLES = ['routes.tsx', 'outside.tsx']

/** Every route of a page, behind the login and before it. */
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

/** True for pages of a domain's workspace, and the mailbox. */
export const isOfDomain = (path: string): boolean => /^\/(?:domains\/:domainId\/|mailbox)/.test(path)

/** Routes that none of these addresses leads to. */
export const unvisited = (routes: readonly PageRoute[], addresses: readonly string[]): string[] =>
  routes
    .filter(({ address }) => !addresses.some((one) => address.test(one.replace(/\?.*/, ''))))
    .map(({ path }) => path)
