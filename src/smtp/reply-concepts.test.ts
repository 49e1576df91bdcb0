// Tests of the concepts of a reply: a mailbox and its absence, in any word order and language, and the doubts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spokenState } from './reply-concepts.ts'
import { readWords } from './reply-text.ts'

const stateOf = (text: string, detail?: string) => spokenState(readWords(text).clauses, detail)

test('a mailbox and its absence in one clause count in any word order and language', () => {
  const rows: [string, ReturnType<typeof stateOf>][] = [
    ['Mailbox does not exist', 'mailbox_not_found'],
    ['not existing here: that mailbox', undefined],
    ['there exists, alas, no such recipient', 'mailbox_not_found'],
    ['closed long ago is the account', 'mailbox_disabled'],
    ['Ein Postfach dieses Namens gibt es nicht', 'mailbox_not_found'],
    ['Kasutajat ei leitud', 'mailbox_not_found'],
    ['Потребителят не съществува', 'mailbox_not_found'],
    ['该账号已注销', 'mailbox_disabled'],
    ['계정이 삭제되었습니다', 'mailbox_disabled'],
  ]
  for (const [text, state] of rows) assert.equal(stateOf(text), state, text)
})

test('a doubt in the clause, or a code of another subject, outweighs the words', () => {
  assert.equal(stateOf('mailbox closed'), 'mailbox_disabled')
  assert.equal(stateOf('mailbox closed by policy'), undefined)
  assert.equal(stateOf('mailbox temporarily closed'), undefined)
  assert.equal(stateOf('mailbox closed', '2.2'), undefined)
  assert.equal(stateOf('mailbox closed', '1.8'), undefined)
  assert.equal(stateOf('address unknown', '1.1'), 'mailbox_not_found')
  assert.equal(stateOf('no route to the mailbox'), undefined)
  assert.equal(stateOf('nothing about anybody'), undefined)
})
