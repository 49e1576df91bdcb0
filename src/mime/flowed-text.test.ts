// Tests of flowed text (RFC 3676): lines that form a paragraph, and lines that never do.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flowOf, unflowed } from './flowed-text.ts'

test('a paragraph is one line, and an answer never becomes part of what it quotes', () => {
  const text = [
    '> Thank you for your order, which we will ship as soon as the last item ',
    '> is in stock again. ',
    '> ',
    '>> The address ',
    '>> of before ',
    '> Is the address below still right? ',
    'Yes, it is ',
    'right.',
    ' From now on.',
    '',
    'Jo ',
    '-- ',
    'Jo',
  ].join('\r\n')
  assert.deepEqual(unflowed(text, { delSp: false }).split('\n'), [
    '> Thank you for your order, which we will ship as soon as the last item is in stock again. ',
    '>> The address of before ',
    '> Is the address below still right? ',
    'Yes, it is right.',
    'From now on.',
    '',
    'Jo ',
    '-- ',
    'Jo',
  ])
  assert.equal(unflowed('日 \n本', { delSp: true }), '日本')
})

test('is told by the parameters of its Content-Type', () => {
  const head = Buffer.from(
    'X-Format: ; format=flowed\r\nContent-Type: text/plain; charset=utf-8;\r\n Format="Flowed"; DelSp=yes\r\nSubject: x\r\n',
  )
  assert.deepEqual(flowOf(head), { delSp: true })
  assert.equal(flowOf(Buffer.from('Content-Type: text/plain; format=fixed\r\n')), undefined)
})
