import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { namesHost, parsePolicy, readPolicyId } from './policy.ts'

describe('the record', () => {
  const TABLE: [texts: string[], id: string | undefined][] = [
    [['v=STSv1; id=20160831085700Z;'], '20160831085700Z'],
    [['v=STSv1;id=1'], '1'],
    [['v=STSv1 ; id = abc ; x=y'], 'abc'],
    [['v=STSv1; x=1; id=9'], '9'],
    [['something else', 'v=STSv1; id=1'], '1'],
    [['v=STSv1; id=1', 'v=STSv1; id=2'], undefined],
    [['v=STSv1'], undefined],
    [['v=STSv1; id='], undefined],
    [['v=STSv1; id=a-b'], undefined],
    [[`v=STSv1; id=${'1'.repeat(33)}`], undefined],
    [['v=STSv10; id=1'], undefined],
    [['V=STSV1; id=1'], undefined],
    [[' v=STSv1; id=1'], undefined],
    [['id=1; v=STSv1'], undefined],
    [[], undefined],
  ]
  for (const [texts, id] of TABLE) {
    test(JSON.stringify(texts), () => assert.equal(readPolicyId(texts), id))
  }
})

describe('the policy', () => {
  test('is read with either line ending, and unknown keys are ignored', () => {
    const lines = ['version: STSv1', 'mode: enforce', 'mx: MX1.example.com', 'mx: *.example.NET', 'x: y']
    for (const end of ['\n', '\r\n']) {
      assert.deepEqual(parsePolicy([...lines, 'max_age: 604800', ''].join(end)), {
        mode: 'enforce',
        mx: ['mx1.example.com', '*.example.net'],
        maxAge: 604_800,
      })
    }
  })

  test('takes the first value of a repeated key', () => {
    const text = 'version: STSv1\nmode: testing\nmode: enforce\nmx: a.test\nmax_age: 1\nmax_age: 2'
    assert.deepEqual(parsePolicy(text), { mode: 'testing', mx: ['a.test'], maxAge: 1 })
  })

  test('in mode none needs no hosts', () => {
    const read = parsePolicy('version: STSv1\nmode: none\nmax_age: 86400')
    assert.deepEqual(read, { mode: 'none', mx: [], maxAge: 86_400 })
  })

  test('never holds for more than a year', () => {
    const read = parsePolicy('version: STSv1\nmode: none\nmax_age: 9999999999')
    assert.equal(typeof read === 'string' ? read : read.maxAge, 31_557_600)
  })

  const BROKEN: [text: string, problem: RegExp][] = [
    ['', /version/],
    ['mode: enforce\nmx: a.test\nmax_age: 1', /version/],
    ['version: STSv2\nmode: enforce\nmx: a.test\nmax_age: 1', /version/],
    ['version: STSv1\nmode: strict\nmx: a.test\nmax_age: 1', /mode/],
    ['version: STSv1\nmx: a.test\nmax_age: 1', /mode/],
    ['version: STSv1\nmode: enforce\nmax_age: 1', /no mail host/],
    ['version: STSv1\nmode: enforce\nmx: 192.0.2.1\nmax_age: 1', /no mail host/],
    ['version: STSv1\nmode: enforce\nmx: a b.test\nmax_age: 1', /no mail host/],
    ['version: STSv1\nmode: enforce\nmx: *\nmax_age: 1', /no mail host/],
    ['version: STSv1\nmode: enforce\nmx: a.test', /max_age/],
    ['version: STSv1\nmode: enforce\nmx: a.test\nmax_age: -1', /max_age/],
    ['<html>not found</html>', /version/],
  ]
  for (const [text, problem] of BROKEN) {
    test(`is refused: ${JSON.stringify(text)}`, () => {
      const read = parsePolicy(text)
      assert.ok(typeof read === 'string')
      assert.match(read, problem)
    })
  }

  test('is parsed from any text, or a problem is returned', () => {
    fc.assert(fc.property(fc.string(), (text) => void parsePolicy(`version: STSv1\nmode: none\n${text}`)))
  })
})

describe('a host', () => {
  const TABLE: [patterns: string[], host: string, named: boolean][] = [
    [['mx.example.com'], 'mx.example.com', true],
    [['mx.example.com'], 'MX.Example.com', true],
    [['mx.example.com'], 'example.com', false],
    [['mx.example.com'], 'a.mx.example.com', false],
    [['*.example.com'], 'mx.example.com', true],
    [['*.example.com'], 'example.com', false],
    [['*.example.com'], 'a.mx.example.com', false],
    [['*.example.com'], 'mxexample.com', false],
    [['other.test', '*.example.com'], 'mx.example.com', true],
    [[], 'mx.example.com', false],
  ]
  for (const [mx, host, named] of TABLE) {
    test(`${host} is ${named ? '' : 'not '}named by ${mx}`, () =>
      assert.equal(namesHost({ mx }, host), named))
  }
})
