// Tests of the normalisation of domain names, and of the errors for invalid names.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainName } from './domain.ts'

test('a name is converted to A-labels and lower case', () => {
  assert.equal(domainName('Example.COM'), 'example.com')
  assert.equal(domainName('bücher.example'), 'xn--bcher-kva.example')
})

const NONE: readonly [string, RegExp][] = [
  ['https://foo.test/', /is a link; give only the host/],
  ['jo@foo.test', /is an email address; give only the part after the @/],
  ['foo.test:25', /has a port; give only the name/],
  ['foo', /"foo" is not a domain name: it/],
  ['a b.test', /a space/],
]

for (const [text, told] of NONE) {
  test(`${text} is none`, () => {
    assert.throws(() => domainName(text), told)
  })
}
