// Tests the rates of unknown clients: refusals are immediate at first and then delayed, so that a flood of refusals
// takes no time from other clients.

import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RequestRates } from './request-rates.ts'

test('refusals are delayed for a network that continues after refusals, and for no other network', () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const rates = new RequestRates()
    const answers: string[] = []
    const ask = (ip: string): void => {
      const request = { ip, routeOptions: { config: {} } } as unknown as FastifyRequest
      rates.byNetwork(request, {} as FastifyReply, (error) => void answers.push(error?.message ?? 'let in'))
    }
    for (let count = 0; count < 3_000; count++) ask('192.0.2.1')
    const before = answers.length
    const refused = answers.filter((answer) => answer !== 'let in').length
    assert.ok(before < 2_000, `${before} are answered at once`)
    assert.ok(refused >= 100, `${refused} are refused at once`)
    ask('198.51.100.1')
    assert.deepEqual(answers.slice(before), ['let in'])
    mock.timers.tick(1_000)
    assert.equal(answers.length, 3_001)
    assert.match(answers.at(-1) ?? '', /Too many requests/)
  } finally {
    mock.timers.reset()
  }
})
