// Sentences of the unsubscribe page in its languages.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WORDS, type Words } from './words.ts'

/** Words for "mails" in the languages of the page: the name of a stream stands alone, as in English. */
const MAILS = /mails?\b|correos|wiadomo|メール|邮件/i

test('every language names the address, the stream and the sender once, and calls the stream by its name alone', () => {
  for (const [language, words] of Object.entries<Words>(WORDS)) {
    for (const sentence of [words.question, words.done, words.undone]) {
      const places = sentence.match(/\{\w+\}/g) ?? []
      assert.deepEqual(places.toSorted(), ['{address}', '{domain}', '{stream}'], `${language}: ${sentence}`)
      assert.doesNotMatch(sentence, MAILS, language)
    }
    assert.match(words.choice, /\{domain\}/, language)
  }
})
