// Every link of the dashboard, and of the problems that the service tells, leads to a page that there is.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const HERE = new URL('./', import.meta.url)
const HEALTH = new URL('../src/health/', import.meta.url)

const read = (folder: URL, name: string): string => readFileSync(new URL(name, folder), 'utf8')

/** Addresses of pages in the routes of both programs, as patterns. */
const PAGES = [...read(HERE, 'routes.tsx').matchAll(/^ {2}\['(\/[^']*)'/gm)]
  .map(([, address = '']) => address)
  .concat('/login', '/forgotten-password', '/first-run', '/invitation', '/reset-password')
  .map((address) => new RegExp(`^${address.replace(/\/:\w+\?/g, '(?:/[^/]+)?').replace(/:\w+/g, '[^/]+')}$`))

const sources = (folder: URL): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /(?<!\.test)\.tsx?$/.test(name) && !name.startsWith('dist'),
  )

/** Addresses in attributes and fields that links are made of; what is put into a template stands as `x`. */
const linksOf = (text: string): string[] =>
  [...text.matchAll(/\b(?:to|link|address)(?:=|: |=\{)["'`](\/[^"'`\s]*)["'`]/g)]
    .map(([, address = '']) => address.replace(/\$\{[^}]*\}/g, 'x').replace(/[?#].*/, ''))
    // A part of a workspace that is chosen by a name is checked by the types.
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
