// The dashboard has the sentences of every incident and every fact in each language.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, test } from 'node:test'
import { CATALOGUE, EVIDENCE, evidenceText, sentencesOf } from '../../../src/model/incident-catalogue.ts'

const TEXTS = new URL('../../../dashboard/texts/', import.meta.url)
const LANGUAGES = readdirSync(TEXTS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

const placeholders = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort()

async function textsOf(language: string) {
  const { incidentCauses } = await import(`${TEXTS}${language}/incident-causes.ts`)
  const { deliverability } = await import(`${TEXTS}${language}/deliverability.ts`)
  const sentences = Object.entries(incidentCauses as Record<string, { meaning: string; whatToDo: string }>)
  return {
    causes: new Map(sentences.map(([name, { meaning, whatToDo }]) => [name, [meaning, whatToDo]])),
    facts: new Map(Object.entries(deliverability.facts as Record<string, string>)),
  }
}

for (const language of LANGUAGES) {
  describe(`incidents in ${language}`, () => {
    test('have the meaning and the advice of every entry of the catalogue', async () => {
      const { causes } = await textsOf(language)
      assert.deepEqual([...causes.keys()].sort(), Object.keys(CATALOGUE).sort())
      for (const [name, { meaning, whatToDo }] of Object.entries(CATALOGUE)) {
        const texts = causes.get(name) ?? []
        if (language === 'en') assert.deepEqual(texts, [meaning, whatToDo])
        for (const [index, english] of [meaning, whatToDo].entries()) {
          const text = texts[index] ?? ''
          assert.match(text, /^[\p{Lu}{].*(?:\.|\{page\})$/u, name)
          assert.deepEqual(placeholders(text), placeholders(english), name)
          assert.equal(text === english, language === 'en', name)
        }
      }
    })

    test('have the sentence of every fact', async () => {
      const { facts } = await textsOf(language)
      assert.deepEqual([...facts.keys()].sort(), Object.keys(EVIDENCE).sort())
      for (const [name, english] of Object.entries(EVIDENCE)) {
        assert.deepEqual(placeholders(facts.get(name) ?? ''), placeholders(english), name)
        if (language === 'en') assert.equal(facts.get(name), english)
      }
    })
  })
}

test('there are three languages', () => assert.deepEqual(LANGUAGES.toSorted(), ['de', 'en', 'fr']))

test('the service fills the sentences with their values', () => {
  const values = { zone: 'bl.example', subject: '192.0.2.7', page: 'https://bl.example/' }
  const listing = { cause: 'listing', provider: null, code: 'bl.example' } as const
  const { meaning, whatToDo } = sentencesOf({ ...listing, words: { wording: 'listing_small', values } })
  assert.match(meaning, /^bl\.example names 192\.0\.2\.7\./)
  assert.match(whatToDo, /removal: https:\/\/bl\.example\/$/)
  for (const name of Object.keys(CATALOGUE) as (keyof typeof CATALOGUE)[]) {
    assert.doesNotMatch(
      sentencesOf({ ...listing, words: { wording: name as 'other', values: {} } }).meaning,
      /\{/,
    )
  }
  assert.equal(
    evidenceText({ wording: 'replies', values: { failed: 3, attempts: 9, codes: '4.7.28 (3)' } }),
    '3 of 9 attempts failed: 4.7.28 (3)',
  )
  // A code without an entry is described by its cause.
  const known = { cause: 'policy', provider: 'Gmail', words: null } as const
  assert.equal(sentencesOf({ ...known, code: '4.7.32' }).wording, 'gmail_alignment')
  assert.equal(sentencesOf({ ...known, code: '5.1.0' }).wording, 'policy')
})
