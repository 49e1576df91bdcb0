// Every text exists in every language, with the same keys, placeholders and plural forms as in English, and is not
// empty.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { LANGUAGES } from './language.ts'
import { counted, fill, listed, parts, type Texts } from './texts.ts'

type Rooms = Readonly<Record<string, Texts>>

const files = (folder: string): string[] => readdirSync(new URL(`${folder}/`, import.meta.url))

/** Returns the texts of each file in a folder, by file name. */
async function roomsOf(folder: string): Promise<Rooms> {
  const rooms: Record<string, Texts> = {}
  for (const name of files(folder)) {
    const exported = Object.values((await import(`./${folder}/${name}`)) as Record<string, Texts>)
    assert.equal(exported.length, 1, `${folder}/${name} has one room`)
    rooms[name] = exported[0] as Texts
  }
  return rooms
}

/** Returns texts by their path, such as "problem.other" or "found.one". */
const flat = (texts: Texts, before = ''): [path: string, text: string][] =>
  Object.entries(texts).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[`${before}${key}`, value]] : flat(value as Texts, `${before}${key}.`),
  )

const placeholders = (text: string): string[] =>
  [...text.matchAll(/\{(\w*)\}/g)].map(([whole]) => whole).sort()

let english: Rooms
before(async () => {
  english = await roomsOf('en')
})

for (const language of Object.keys(LANGUAGES).filter((one) => one !== 'en')) {
  describe(`texts in ${language}`, () => {
    test('are there for every room', async () => {
      assert.deepEqual(Object.keys(await roomsOf(language)), Object.keys(english))
    })

    test('have the keys, placeholders and plurals of the English ones', async () => {
      const rooms = await roomsOf(language)
      const faults: string[] = []
      for (const [name, texts] of Object.entries(english)) {
        const translated = new Map(flat(rooms[name] ?? {}))
        for (const [path, text] of flat(texts)) {
          const other = translated.get(path)
          if (other === undefined || other.trim() === '') faults.push(`${name} ${path}: missing`)
          else if (
            `${placeholders(text)}` !== `${placeholders(other)}` &&
            !isCountedInWords(path, text, other)
          ) {
            faults.push(`${name} ${path}: ${placeholders(other)} instead of ${placeholders(text)}`)
          }
          translated.delete(path)
        }
        for (const path of translated.keys()) faults.push(`${name} ${path}: not in English`)
      }
      assert.deepEqual(faults, [])
    })
  })
}

/** True if the placeholders are equal, except that a singular text may contain its number as a word. */
const isCountedInWords = (path: string, text: string, other: string): boolean =>
  path.endsWith('.one') &&
  `${placeholders(text).filter((one) => one !== '{count}')}` ===
    `${placeholders(other).filter((one) => one !== '{count}')}`

describe('a text', () => {
  test('is filled by name, numbers in the language of the user', () => {
    assert.equal(
      fill('{domain} has {count} keys', { domain: 'a.example', count: 1234 }),
      'a.example has 1,234 keys',
    )
  })

  test('is chosen by its number', () => {
    const text = { one: '{count} key of {domain}', other: '{count} keys of {domain}' }
    assert.equal(counted(text, 1, { domain: 'a' }), '1 key of a')
    assert.equal(counted(text, 0, { domain: 'a' }), '0 keys of a')
  })

  test('is divided at its placeholders', () => {
    assert.deepEqual(parts('open {link} now', { link: 7 }), ['open ', 7, ' now'])
  })

  test('joins a list', () => {
    assert.equal(listed(['a', 'b', 'c']), 'a, b, and c')
  })
})
