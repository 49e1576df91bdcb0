// Tests that every problem has a reply, on one line into which no client can inject another line.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PROBLEMS, Problem, type ProblemCode } from '../model/problem.ts'
import { Refusal, replyOfProblem, replyWith, wireText } from './replies.ts'

test('codes agree with their classes, and the class says whether to try again', () => {
  for (const code of Object.keys(PROBLEMS) as ProblemCode[]) {
    const reply = replyOfProblem(new Problem(code, 'A sentence.'))
    assert.equal(reply?.text, 'A sentence.')
    assert.equal(String(reply?.code)[0], reply?.enhanced?.[0], code)
    const again = ['unavailable', 'internal_error', 'rate_limit_exceeded', 'conflict'].includes(code)
    assert.equal(reply!.code < 500, again, code)
  }
})

test('the replies that the contract names', () => {
  for (const [code, line] of [
    ['domain_not_permitted', '550 5.7.1'],
    ['domain_not_verified', '550 5.7.1'],
    ['account_suspended', '550 5.7.1'],
    ['sending_allowance_exhausted', '550 5.7.1'],
    ['unavailable', '452 4.3.1'],
    ['validation_failed', '554 5.6.0'],
    ['rate_limit_exceeded', '450 4.7.1'],
  ] as const) {
    const reply = replyOfProblem(new Problem(code, ''))
    assert.equal(`${reply?.code} ${reply?.enhanced}`, line)
  }
  assert.equal(replyOfProblem(new Refusal(501, '5.5.4', 'x'))?.code, 501)
  assert.equal(replyOfProblem(new Error('x')), undefined)
})

test('a text stays on its line, in ASCII, and within 512 bytes', () => {
  assert.equal(wireText(replyWith(550, '5.7.1', 'a\r\n250 Ok\0é')), '5.7.1 a?250 Ok?')
  assert.ok(wireText(replyWith(550, '5.7.1', 'x'.repeat(2_000))).length <= 512 - '550 \r\n'.length)
})
