// Tests of the concepts of a reply: a mailbox and its absence, in any word order and language, and the doubts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubtsStates, speaksOfDoubt, spokenState, undoubted } from './reply-concepts.ts'
import { readWords } from './reply-text.ts'

const stateOf = (text: string, detail?: string) => spokenState(readWords(text).clauses, detail)

test('a mailbox and its absence in one clause count in any word order and language', () => {
  const rows: [string, ReturnType<typeof stateOf>][] = [
    ['Mailbox does not exist', 'mailbox_not_found'],
    ['not existing: that mailbox', undefined],
    ['not existing here: that mailbox', 'mailbox_not_found'],
    ['there exists, alas, no such recipient', 'mailbox_not_found'],
    ['closed long ago is the account', 'mailbox_disabled'],
    ['Ein Postfach dieses Namens gibt es nicht', 'mailbox_not_found'],
    ['Kasutajat ei leitud', 'mailbox_not_found'],
    ['Потребителят не съществува', 'mailbox_not_found'],
    ['该账号已注销', 'mailbox_disabled'],
    ['계정이 삭제되었습니다', 'mailbox_disabled'],
    ['Herr Meier arbeitet nicht mehr bei uns', 'mailbox_disabled'],
    ['AccountNotExist', 'mailbox_not_found'],
    ['Такой почты у нас нет', 'mailbox_not_found'],
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

test('an address that a reply quotes stands for the recipient only near a word for the host or an ending', () => {
  assert.equal(spokenState(' not existing here ', undefined, true), 'mailbox_not_found')
  assert.equal(spokenState(' not existing ', undefined, true), undefined)
  assert.equal(spokenState(' left the bank ', undefined, true), 'mailbox_disabled')
})

test('a reply that names only doubts contradicts a code about the mailbox', () => {
  const rows: [string, boolean][] = [
    ['mail from this network is refused', true],
    ['Your domain has been listed', true],
    ['recipient rejected', false],
    ['user unknown to your server', false],
    ['Please update your address book', false],
  ]
  for (const [text, doubts] of rows) assert.equal(speaksOfDoubt(readWords(text).clauses), doubts, text)
})

test('a state in a clause with a doubt is doubtful', () => {
  assert.equal(doubtsStates(readWords('Recipient not found in your contacts').clauses), true)
  assert.equal(doubtsStates(readWords('Recipient not found: check your contacts').clauses), false)
  assert.equal(doubtsStates(readWords('Mailbox of jo').clauses), false)
})

test('a reply without a doubt and without a vague failure names a mailbox or a state', () => {
  assert.equal(undoubted(readWords('mailbox of a colleague').clauses), 'mailbox')
  assert.equal(undoubted(readWords('not existing').clauses), 'state')
  assert.equal(undoubted(readWords('mailbox failed').clauses), undefined)
  assert.equal(undoubted(readWords('mailbox of your domain').clauses), undefined)
  assert.equal(undoubted(readWords('hello').clauses), undefined)
})
