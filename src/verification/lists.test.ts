// The lists that come with the program: required entries, forbidden entries, and the operator's overrides.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { DomainLists, readList, readOwnList } from './lists.ts'

const words = (text: string): string[] => text.trim().split(/\s+/)

const DISPOSABLE = words(`
  mailinator.com guerrillamail.com sharklasers.com yopmail.com 10minutemail.com temp-mail.org trashmail.com
  tempmail.com dropmail.me maildrop.cc getnada.com mohmal.com moakt.com emailondeck.com 1secmail.com
  tempmail.lol throwaway.email burnermail.io mintemail.com fakeinbox.com tempr.email discard.email mailnesia.com`)

const NOT_DISPOSABLE = words(`
  duck.com mozmail.com relay.firefox.com privaterelay.appleid.com addy.io anonaddy.com anonaddy.me
  simplelogin.com slmail.me aleeas.com passmail.net passinbox.com icloud.com
  fastmail.com fastmail.fm sent.com eml.cc mailcan.com imap.cc warpmail.net myfastmail.com
  proton.me protonmail.com pm.me tuta.io tutanota.com hush.com hushmail.com vfemail.net posteo.de mailbox.org riseup.net
  gmail.com googlemail.com google.com outlook.com microsoft.com yahoo.com aol.com gmx.de web.de mail.com
  consultant.com dr.com myself.com email.com usa.com qq.com 163.com tom.com 21cn.com yandex.ru mail.ru
  com.ar co.uk com.br web.id msk.ru eu.org github.io dynu.net ddns.net
  example.com example.test postrider.example`)

const FREE = words(`
  gmail.com googlemail.com outlook.com hotmail.com live.com yahoo.com yahoo.co.uk ymail.com aol.com icloud.com
  me.com gmx.de gmx.net web.de mail.com proton.me protonmail.com pm.me tutanota.com tuta.com zoho.com
  yandex.ru mail.ru qq.com 163.com naver.com seznam.cz wp.pl libero.it laposte.net orange.fr duck.com mozmail.com`)

describe('the lists of this version', () => {
  const lists = new DomainLists()

  test('disposable domains and their subdomains', () => {
    assert.deepEqual(
      DISPOSABLE.filter((domain) => !lists.isDisposable(domain)),
      [],
    )
    assert.deepEqual(
      DISPOSABLE.filter((domain) => !lists.isDisposable(`a.b.${domain}`)),
      [],
    )
  })

  test('relays, mailbox providers and suffixes are not disposable', () => {
    assert.deepEqual(
      NOT_DISPOSABLE.filter((domain) => lists.isDisposable(domain)),
      [],
    )
    assert.deepEqual(
      NOT_DISPOSABLE.filter((domain) => lists.isDisposable(`sub.${domain}`)),
      [],
    )
  })

  test('free providers, which nothing disposable is', () => {
    assert.deepEqual(
      FREE.filter((domain) => !lists.isFree(domain)),
      [],
    )
    for (const domain of [...DISPOSABLE, 'example.com', 'google.com', 'microsoft.com', 'mail.gmail.com']) {
      assert.equal(lists.isFree(domain), false, domain)
    }
    const free = readList('free.txt').toString().trim().split('\n')
    assert.deepEqual(
      free.filter((domain) => lists.isDisposable(domain)),
      [],
    )
  })

  test('are sorted by bytes, which looking up relies on, and large', () => {
    for (const [file, least] of [
      ['disposable.txt', 30_000],
      ['free.txt', 2_000],
    ] as const) {
      const names = readList(file).toString().trim().split('\n')
      assert.ok(names.length >= least)
      assert.ok(names.every((name, index) => index === 0 || (names[index - 1] as string) < name))
    }
  })
})

test('the operator knows better, and the nearest entry counts', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-test-'))
  const file = join(directory, 'denied')
  await writeFile(
    file,
    '\ufeff# ours\r\n Bad.Example \r\n\nmailinator.com # of course\n*.Bücher.example.\n@at.example\n',
  )
  const denied = readOwnList(file)
  await writeFile(file, 'good.example\nnot a domain\n')
  assert.throws(() => readOwnList(file), /line 2/)
  await rm(directory, { recursive: true })
  assert.deepEqual([...denied], ['bad.example', 'mailinator.com', 'xn--bcher-kva.example', 'at.example'])
  assert.throws(() => readOwnList(file))
  const lists = new DomainLists({ denied, allowed: new Set(['good.bad.example', 'yopmail.com']) })
  assert.ok(lists.isDisposable('bad.example') && lists.isDisposable('x.bad.example'))
  assert.equal(lists.isDisposable('x.good.bad.example'), false)
  assert.equal(lists.isDisposable('yopmail.com'), false)
  assert.ok(lists.isDisposable('guerrillamail.com'))
})
