// Pages that the search of the dashboard finds by their names.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPlaces } from './places.ts'

const OWNER = { mayDevelop: true, mayAudit: true, isOperator: false }
const SHOP = { domain_id: 'dom_1', domain_unicode: 'shop.example' }
const NEWS = { domain_id: 'dom_2', domain_unicode: 'news.example' }

const found = (sought: string, rights = OWNER, domains = [SHOP, NEWS]): string[] =>
  findPlaces(sought, rights, domains).map(({ address }) => address)

test('a page is found by the beginning of each word of its name, in any case and without accents', () => {
  assert.deepEqual(found('templates', OWNER, [SHOP]), ['/domains/dom_1/templates'])
  assert.deepEqual(found('TEMPL news'), ['/domains/dom_2/templates'])
  assert.deepEqual(found('dns rec'), ['/domains/dom_1/dns', '/domains/dom_2/dns'])
  assert.deepEqual(found('aúdit'), ['/account/audit'])
  assert.deepEqual(found('requests'), ['/activity/requests'])
})

test('the name of a domain alone, an address and an unknown word find no page', () => {
  for (const sought of ['shop.example', 'ann@shop.example', 'home@shop.example', 'nothing', ' ', '%']) {
    assert.deepEqual(found(sought), [], sought)
  }
})

test('only pages that the user may open are found', () => {
  assert.deepEqual(found('queue'), [])
  assert.deepEqual(found('queue', { ...OWNER, isOperator: true }), ['/operator/queue'])
  assert.deepEqual(found('audit', { ...OWNER, mayAudit: false }), [])
  assert.deepEqual(found('inboxes', { ...OWNER, mayDevelop: false }), [])
})
