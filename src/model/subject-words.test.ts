// Tests the words of a subject.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subjectWords, wordList } from './subject-words.ts'

test('letters and digits in lower case, each word once', () => {
  for (const [subject, words] of [
    ['Your order #12-A was SHIPPED, order again!', 'your order 12 a was shipped again'],
    ['', ''],
    ['--- ¡! ---', ''],
    ['Größe: ＡＢＣ １２, größe', 'grosse abc 12'],
    ['請求書 ok 🎉', '請 求 書 ok 🎉'],
    ['İstanbul Ærø Łódź Йод', 'istanbul aero lodz иод'],
    ['プレゼント ガ กำลัง नमस्ते', 'プ レ ゼ ン ト ガ ก ํ า ล ั ง नमस्ते'],
    ['Réinitialisation de l’accès', 'reinitialisation de l acces'],
  ] as const) {
    assert.equal(subjectWords(subject).join(' '), words, subject)
  }
})

test('the words of plain text do not depend on other text', () => {
  for (let code = 0; code < 128; code++) {
    const text = `ab${String.fromCharCode(code)}Cd`
    assert.deepEqual(subjectWords(text), subjectWords(`${text} ж`).slice(0, -1), `character ${code}`)
  }
})

test('a long subject has its first words, and a long word its beginning', () => {
  assert.equal(subjectWords(Array.from({ length: 40 }, (_, i) => `w${i}`).join(' ')).length, 16)
  assert.deepEqual(subjectWords('x'.repeat(900)), ['x'.repeat(32)])
  assert.deepEqual(subjectWords('ж'.repeat(900)), ['ж'.repeat(32)])
  assert.equal(wordList(['one', 'two']), ' one two')
})
