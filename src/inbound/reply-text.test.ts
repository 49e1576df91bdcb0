// Tests the reply in a text: quotations are removed, and empty lines are kept unless there are very many.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { cpuWatch } from '../../test/support/cpu-time.ts'
import { replyText } from './reply-text.ts'

test('quotations and what introduces them are left out, empty lines within are not', () => {
  const reply = 'Yes, please.\n\n\n\nJo'
  assert.equal(
    replyText(
      `${reply}\n\nOn Fri, 20 Nov 2026, Shop wrote:\n> Shall we send it?\n> Kind regards\n`,
    ).trimEnd(),
    reply,
  )
})

test('of a long run of empty lines, whatever spaces they have, a few are kept', () => {
  for (const line of ['\n', ' \n', '\t\r\n']) {
    const reply = replyText(`Yes.${line.repeat(20_000)}And no.`)
    assert.match(reply, /^Yes\.[ \t\r\n]+And no\.$/)
    assert.ok(reply.split('\n').length <= 22, `${reply.split('\n').length} lines`)
  }
})

test('lines stay whole however long they are, and those of a quotation go', () => {
  const long = 'A paragraph in one line. '.repeat(400).trim()
  const reply = `Yes.\n${long}\n\nJo`
  assert.equal(
    replyText(`${reply}\n\nOn Fri, 20 Nov 2026, Shop wrote:\n> ${long}\n> ${long}\n`).trimEnd(),
    reply,
  )
  const twice = `${'x'.repeat(3_000)}\x001\x00`
  assert.equal(replyText(`${twice}\n${twice}`), `${twice}\n${twice}`.replaceAll('\0', ''))
})

test('lines that are made to take long take no longer than others', () => {
  for (const piece of ['On ', '<a@b.c> ', 'On a wrote: ', '> On ']) {
    for (const end of ['', '\n', `${piece.repeat(99)}\n`]) {
      const used = cpuWatch()
      replyText(`Hello\n${`${piece}${end}`.repeat(65_536 / (piece.length + end.length))}\nx`)
      const took = used()
      assert.ok(took < 1_500, `${took} ms for ${JSON.stringify(piece + end)}`)
    }
  }
})

const SAMPLES = readFileSync(new URL('./introductions.samples.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('# '))
const isHeldOut = (line: string): boolean => createHash('sha256').update(line).digest()[0]! % 3 === 0

for (const [name, rows] of [
  ['the rows that the rules were tuned on', (line: string) => !isHeldOut(line)],
  ['the third that was held out', isHeldOut],
] as const) {
  test(`what introduces a quotation, ${name}`, (t) => {
    const lines = SAMPLES.filter(rows)
    const missed = lines.filter((line) => {
      const introduction = line.slice(2).replaceAll('\\n', '\n')
      const mark = line.startsWith('+') ? '> ' : ''
      const own = 'Please send it again.\n\nI have moved.'
      return replyText(`${own}\n\n${introduction}\n\n${mark}Hello,\n${mark}it has been sent.\n`) !== own
    })
    t.diagnostic(`${lines.length - missed.length} of ${lines.length}; missed: ${missed.join(' / ')}`)
    assert.ok(missed.length <= lines.length * 0.02, missed.join('\n'))
  })
}

const QUOTATION =
  '\n\nOn Tue, Nov 3, 2026 at 10:00 AM Shop <news@shop.example> wrote:\n\n> Hello,\n> your order has been sent.\n'

test("the author's own words stay, whatever they look like", () => {
  const texts = [
    'I have sent from my account the amount of 30 EUR.\n\nSent from my account you should see it.\nPlease check.',
    'Dear team,\n\nplease change the text to:\n\nBest regards,\nYour Shop\n\nand send it again.\nOlga',
    'Please book for me:\nFrom: Berlin\nTo: Hamburg\nDate: 3 November 2026\nThank you',
    'Name: Olga\nDate: 3.11.2026 10:00\nTo: Hamburg\nE-mail: olga@example.net\nTopic: a refund',
    'On Monday at 10:00 Ann wrote me: she is ill.\nCan she come later?',
    'I will come on 3.11.2026 at 10:00:\n- first\n- second',
    'Here is what I need:\n\n- one\n- two',
    'You wrote:\n\nthat the parcel is lost. But it came.',
    'In your letter of 3.11.2026, 10:00, you wrote:\n\nplease send it back.\n\nI did.',
    'Please contact Ann <ann@shop.example> on 3.11.2026 at 10:00:\nshe knows everything.',
    'My address changed on 3.11.2026 at 10:00, it is now ann@b.example:\nStreet 1',
    '----- Section 1 -----\nThe text\n----- Section 2 -----\nMore',
    'I did reply above this line of the form.\nDid you see it?',
    'Sent from Berlin, the parcel has not come yet.',
    'We got the phone that you sent.',
    'I sent the iPhone back.',
    'Get the phone from my office please.',
    'My comments:\n\n* From: what is this?\n* To: why?\n* Subject: change it',
    'Cheers',
    'Best regards',
    'The best\n\nwishes come late.',
    'Use these lines:\n\n--\n\nand nothing else.',
    'Subject: my order\n\nIt has not come.',
    'To: all of you\n\nThank you!',
    'Ich schrieb am 3.11.2026 um 10:00 Uhr:\nbitte liefern Sie nicht.\n\nSie haben geliefert.',
    'Von: Berlin\nNach: Hamburg\nDatum: 3.11.2026, 10:00\nBetreff ist egal.',
    'Original message of the king was lost.\nSo was mine.',
    '== Part 1 ==\nwords\n== Part 2 ==\nwords',
    'Call me at 10:00, I am there: 0123\n2026 was a good year:\nyes',
    'Ann said:\n"hello"',
    'My boss <boss@b.example> says:\nno.',
    'Thanks!\n\nP.S. I wrote this on 3 Nov 2026:\nit is late.',
  ]
  for (const text of texts) {
    assert.equal(replyText(text), text)
    assert.equal(replyText(text + QUOTATION), text)
  }
})

test('answers between quotations stay, and what phones and programs add goes', () => {
  const rows: [text: string, reply: string][] = [
    [`Hello\n\n> one?\nYes.\n> two?\nNo.\n\n-- \nOlga`, 'Hello\n\nYes.\n\nNo.'],
    [`On Tue, 3 Nov 2026 at 10:00, Shop <n@s.example> wrote:\n> one?\n\nYes, one.`, 'Yes, one.'],
    [
      `Yes.\n\nSent from my iPhone\n\n> On 3 Nov 2026, at 10:00, Shop <n@s.example> wrote:\n> \n> Hello`,
      'Yes.',
    ],
    [
      `Ja.\n\nVon meinem iPhone gesendet\n\nAm 03.11.2026 um 10:00 schrieb Shop <n@s.example>:\n\n> Hallo`,
      'Ja.',
    ],
    [`Oui.\n\nEnvoyé de mon iPhone\n`, 'Oui.'],
    [`Sí.\n\nEnviado desde mi iPhone`, 'Sí.'],
    [`Sì.\n\nInviato da iPhone`, 'Sì.'],
    [`Ja.\n\nVerstuurd vanaf mijn iPhone`, 'Ja.'],
    [`はい。\n\niPhoneから送信`, 'はい。'],
    [`好。\n\n发自我的iPhone`, '好。'],
    [`Да.\n\nОтправлено с iPhone`, 'Да.'],
    [`Ja.\n\nGet Outlook for iOS<https://aka.ms/o0ukef>`, 'Ja.'],
    [`Ok.\n\nSent from Mailspring`, 'Ok.'],
    [`Tak.\n\nWysłane z iPhone'a`, 'Tak.'],
    [`예.\n\n나의 iPhone에서 보냄`, '예.'],
    [`Sim.\n\nEnviado do meu iPhone`, 'Sim.'],
    [`Ja.\n\nHol dir Outlook für iOS`, 'Ja.'],
    [`Ja.\n\nGesendet mit der GMX Mail App`, 'Ja.'],
    [`Ano.\n\nOdesláno z iPhonu`, 'Ano.'],
    [`Yes, please do.\n\nBest regards,\nOlga Kurz\nAcme Ltd`, 'Yes, please do.'],
    [`Bitte senden.\n\nMit freundlichen Grüßen\n\nOlga Kurz`, 'Bitte senden.'],
    [`Thanks.\n\n-- \nOlga\nAcme\nTel 1`, 'Thanks.'],
    [`Thanks\nOn Tue, Nov 3, 2026 at 10:00 AM Shop <news@shop.example> wrote:\n> Hello`, 'Thanks'],

    [
      'Bonjour.\n\nCordialement,\nOlga\n\nLe mar. 3 nov. 2026 à 10:00, Shop <n@s.example> a écrit :\n> Bonjour',
      'Bonjour.',
    ],

    [QUOTATION, ''],
    ['Děkuji.\n\nút 3. 11. 2026 v 10:00 odesílatel Shop <news@shop.example> napsal:\n\n> Hello', 'Děkuji.'],
  ]
  for (const [text, reply] of rows) assert.equal(replyText(text), reply, text)
})

test('lines that look nearly like an introduction take no longer than others', () => {
  const pieces = [
    'a:\n',
    'a@b.c 2026\n',
    `${'-'.repeat(120)}x\n`,
    'From: a\n',
    'From: a@b.c\nTo: b\n',
    '--\n',
    'wrote\n',
    '> a\nwrote:\n',
    `${'a '.repeat(180)}:\n`,
  ]
  for (const piece of pieces) {
    const used = cpuWatch()
    replyText(piece.repeat(65_536 / piece.length))
    const took = used()
    assert.ok(took < 1_500, `${took} ms for ${JSON.stringify(piece.slice(0, 20))}`)
  }
})
