// Links from audit log entries to their objects.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { targetAddress, targetName } from './audit-target.ts'

const DOMAIN = 'dom_01M8484C8P02003017VXZ4G0K0'
const id = (kind: string): string => DOMAIN.replace('dom', kind)

test('an entry leads to the page of what it is about, where there is one', () => {
  const domains = new Map([['shop.example', DOMAIN]])
  const detail = { domain: 'shop.example' }
  for (const [action, target, address] of [
    ['message.create', id('msg'), `/domains/${DOMAIN}/messages/${id('msg')}`],
    ['template.save', id('tpl'), `/domains/${DOMAIN}/templates/${id('tpl')}`],
    ['key.create', id('key'), `/domains/${DOMAIN}/keys`],
    ['smtp-credential.revoke', id('smtp'), `/domains/${DOMAIN}/smtp`],
    ['domain.add', DOMAIN, `/domains/${DOMAIN}/dns`],
    ['domain.add', id('dom').replace('K0', 'K1'), undefined],
    ['verification.create', id('ver'), `/verification/lists/${id('ver')}`],
    ['user.change', id('usr'), '/account/users'],
    ['webhook.delete', id('whk'), undefined],
    ['session.open', id('ses'), undefined],
    ['template.save', 'welcome', undefined],
    ['session.refuse', null, undefined],
  ] as const) {
    assert.equal(targetAddress({ action, target, detail }, domains), address, `${action} ${target}`)
  }
  for (const [kind, address] of [
    ['management', '/account/keys'],
    ['verification', '/verification/keys'],
    ['sending', undefined],
  ] as const) {
    const entry = { action: 'key.rotate', target: id('key'), detail: { kind } }
    assert.equal(targetAddress(entry, domains), address, kind)
  }
  const shared = { action: 'message.share', target: id('msg'), detail: { hours: 24 } }
  assert.equal(targetAddress(shared, domains), `/activity?search=${id('msg')}`)
  const elsewhere = { action: 'template.save', target: id('tpl'), detail: { domain: 'gone.example' } }
  assert.equal(targetAddress(elsewhere, domains), undefined)
})

test('an object is shown by its name instead of its ID', () => {
  const target = id('tpl')
  for (const [entry, shown] of [
    [{ target, target_name: 'Welcome', detail: {} }, 'Welcome'],
    [{ target, target_name: null, detail: { name: 'Deleted' } }, 'Deleted'],
    [{ target: id('usr'), target_name: null, detail: { email: 'ann@shop.example' } }, 'ann@shop.example'],
    [{ target, target_name: null, detail: { domain: 'shop.example' } }, target],
    [{ target: 'ann@shop.example', target_name: null, detail: {} }, 'ann@shop.example'],
    [{ target: id('ses'), target_name: null, detail: { method: 'password' } }, undefined],
    [{ target: null, target_name: null, detail: { name: 'x' } }, undefined],
  ] as const) {
    assert.equal(targetName(entry), shown, JSON.stringify(entry))
  }
})
