// Every link in the dashboard, and in the problems that the service reports, leads to an existing page.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const HERE = new URL('./', import.meta.url)
const HEALTH = new URL('../src/health/', import.meta.url)

const read = (folder: URL, name: string): string => readFileSync(new URL(name, folder), 'utf8')

/** Patterns of the paths of all pages in both programs. */
const PAGES = [...read(HERE, 'routes.tsx').matchAll(/^ {2}\['(\/[^']*)'/gm)]
  .map(([, address = '']) => address)
  .concat('/login', '/forgotten-password', '/first-run', '/invitation', '/reset-password')
  .map((address) => new RegExp(`^${address.replace(/\/:\w+\?/g, '(?:/[^/]+)?').replace(/:\w+/g, '[^/]+')}$`))

const sources = (folder: URL): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /(?<!\.test)\.tsx?$/.test(name) && !name.startsWith('dist'),
  )

/** Returns the paths in attributes and fields that become links; each inserted value is replaced by `x`. */
const linksOf = (text: string): string[] =>
  [...text.matchAll(/\b(?:to|link|address)(?:=|: |=\{)["'`](\/[^"'`\s]*)["'`]/g)]
    .map(([, address = '']) => address.replace(/\$\{[^}]*\}/g, 'x').replace(/[?#].*/, ''))
    // The type system checks links to a part of a workspace that is selected by name.
    .filter((address) => !/^\/(?:v1|api|docs)\b|^\/domains\/x\/x/.test(address))

const isPage = (address: string): boolean => PAGES.some((page) => page.test(address))

test('links lead to pages', () => {
  const links = [
    ...sources(HERE).map((name) => [`dashboard/${name}`, linksOf(read(HERE, name))] as const),
    ...sources(HEALTH).map((name) => [`src/health/${name}`, linksOf(read(HEALTH, name))] as const),
  ]
  assert.ok(links.flatMap(([, addresses]) => addresses).length > 50, 'the links are found')
  const wrong = links.flatMap(([name, addresses]) =>
    addresses.filter((address) => !isPage(address)).map((address) => `${name}: ${address}`),
  )
  assert.deepEqual(wrong, [])
})

test('an address without a page is found', () => {
  assert.deepEqual(linksOf("link: '/operator/health',").map(isPage), [false])
})
