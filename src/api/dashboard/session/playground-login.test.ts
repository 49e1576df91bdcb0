// Requests that get the login of the playground: only those of a browser on the same machine.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { playgroundLoginFor } from './playground-login.ts'

const LOGIN = { email: 'owner@example.test', password: 'secret' }
const told = (headers: Record<string, string>) => playgroundLoginFor({ headers }, { playgroundLogin: LOGIN })

test('a browser on the same machine gets the login of the playground', () => {
  for (const host of ['127.0.0.1:3000', 'localhost:3000', 'localhost', '[::1]:3000']) {
    assert.deepEqual(told({ host }), LOGIN, host)
  }
})

test('no other client gets the login', () => {
  const host = 'localhost:3000'
  for (const headers of [
    { host: 'playground.example' },
    { host: '192.0.2.7:3000' },
    { host: '127.0.0.1.rebinding.example:3000' },
    { host: 'not a host' },
    {},
    { host, 'x-forwarded-for': '192.0.2.7' },
    { host, 'x-forwarded-host': 'playground.example' },
    { host, 'x-real-ip': '192.0.2.7' },
    { host, forwarded: 'for=192.0.2.7' },
    { host, via: '1.1 tunnel' },
  ] as Record<string, string>[]) {
    assert.equal(told(headers), undefined, JSON.stringify(headers))
  }
  assert.equal(playgroundLoginFor({ headers: { host } }, { playgroundLogin: undefined }), undefined)
})
