// Templates, layouts and their versions on both databases.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DATABASES, openTestStore } from '../../../test/support/store.ts'
import { createTenant, type Tenant } from '../../../test/support/tenant.ts'
import { newId } from '../../lib/ids.ts'
import type { Store } from '../database/store.ts'
import { readVersions } from '../node/installation.ts'
import { deleteLayout, findLayout, listLayouts, type SaveLayout, saveLayout } from './layouts.ts'
import { findVersion, listVersions, VERSIONS_KEPT } from './template-versions.ts'
import { deleteTemplate, findTemplate, listTemplates, type SaveTemplate, saveTemplate } from './templates.ts'

const NOW = Date.UTC(2026, 0, 1)

for (const database of DATABASES) {
  describe(`templates on ${database}`, () => {
    let store: Store
    let tenant: Tenant
    before(async () => {
      store = await openTestStore(database)
      tenant = await createTenant(store)
    })
    after(() => store.close())

    const template = (
      fields: Partial<SaveTemplate['template']> = {},
      more: Partial<SaveTemplate> = {},
      of: Tenant = tenant,
    ): SaveTemplate => ({
      template: {
        id: newId('tpl'),
        account_id: of.owner.accountId,
        domain_id: of.owner.domainId,
        alias: null,
        name: 'A',
        subject: 's',
        html: '<b>',
        text: null,
        required_paths: '[]',
        inline_css: 0,
        sample_model: null,
        created_at: NOW,
        updated_at: NOW,
        ...fields,
      },
      layout: null,
      isNew: true,
      savedBy: 'key_1',
      ...more,
    })
    const layout = (fields: Partial<SaveLayout['layout']> = {}): SaveLayout => ({
      layout: {
        id: newId('lay'),
        account_id: tenant.owner.accountId,
        domain_id: tenant.owner.domainId,
        alias: null,
        name: 'L',
        html: '{{{@content}}}',
        text: null,
        created_at: NOW,
        updated_at: NOW,
        ...fields,
      },
      isNew: true,
      savedBy: 'key_1',
    })

    test('are found by ID and by alias, by their owner only', async () => {
      const other = await createTenant(store)
      const item = template({ alias: 'welcome' })
      const saved = await store.write(saveTemplate, item)
      assert.equal(saved.kind, 'saved')
      for (const reference of [item.template.id, 'welcome']) {
        const found = await findTemplate(store.read, tenant.owner, reference)
        assert.deepEqual(found, saved.kind === 'saved' && saved.template)
        assert.equal(await findTemplate(store.read, other.owner, reference), undefined)
      }
      assert.equal((await store.write(saveTemplate, template({ alias: 'welcome' }, {}, other))).kind, 'saved')
      assert.deepEqual(
        (await listTemplates(store.read, other.owner, { limit: 10 })).map((one) => one.alias),
        ['welcome'],
      )
    })

    test('have unique aliases, even when two ask at the same time', async () => {
      const kinds = await Promise.all(
        Array.from({ length: 8 }, () => store.write(saveTemplate, template({ alias: 'race' }))),
      )
      assert.deepEqual(kinds.map(({ kind }) => kind).sort(), [...Array(7).fill('alias_taken'), 'saved'])
    })

    test('get a version with every save, and the newest hundred are kept', async () => {
      const { id } = template().template
      await store.write(saveTemplate, template({ id }))
      for (let version = 2; version <= VERSIONS_KEPT + 5; version++) {
        const fields = { id, name: `N${version}`, updated_at: NOW + version, created_at: NOW + version }
        await store.write(saveTemplate, template(fields, { isNew: false, savedBy: 'key_2' }))
      }
      const found = await findTemplate(store.read, tenant.owner, id)
      assert.equal(found?.version, VERSIONS_KEPT + 5)
      assert.equal(found?.created_at, NOW)
      const versions = await listVersions(store.read, tenant.owner, id, 200)
      assert.equal(versions.length, VERSIONS_KEPT)
      assert.equal(versions[0]?.version, VERSIONS_KEPT + 5)
      assert.equal(versions[0]?.saved_by, 'key_2')
      assert.equal((await listVersions(store.read, tenant.owner, id, 200, 50)).length, 44)
      assert.equal(await findVersion(store.read, tenant.owner, id, 3), undefined)
      const snapshot = JSON.parse((await findVersion(store.read, tenant.owner, id, 50))?.snapshot ?? '')
      assert.equal(snapshot.name, 'N50')
    })

    test('get consecutive versions from concurrent saves', async () => {
      const { id } = template().template
      await store.write(saveTemplate, template({ id }))
      await Promise.all(
        Array.from({ length: 20 }, () => store.write(saveTemplate, template({ id }, { isNew: false }))),
      )
      assert.equal((await findTemplate(store.read, tenant.owner, id))?.version, 21)
      assert.equal((await listVersions(store.read, tenant.owner, id, 200)).length, 21)
    })

    test('use a layout by alias, and the layout cannot be deleted meanwhile', async () => {
      const around = layout({ alias: 'base' })
      await store.write(saveLayout, around)
      const item = template({ alias: 'inside' }, { layout: 'base' })
      const saved = await store.write(saveTemplate, item)
      assert.equal(saved.kind === 'saved' && saved.template.layout, 'base')
      assert.equal((await findTemplate(store.read, tenant.owner, 'inside'))?.layout_id, around.layout.id)
      const gone = { ...tenant.owner, id: around.layout.id, now: NOW }
      assert.deepEqual(await store.write(deleteLayout, gone), { usedBy: ['inside'] })
      assert.equal(await store.write(deleteTemplate, { ...gone, id: item.template.id }), 'deleted')
      assert.equal(await store.write(deleteTemplate, { ...gone, id: item.template.id }), 'not_found')
      assert.deepEqual(await listVersions(store.read, tenant.owner, item.template.id, 10), [])
      assert.equal(await store.write(deleteLayout, gone), 'deleted')
      assert.equal(await store.write(deleteLayout, gone), 'not_found')
      assert.equal(
        (await store.write(saveTemplate, template({}, { layout: 'base' }))).kind,
        'layout_not_found',
      )
    })

    test('either keep a layout that is deleted at the same time or do not get it', async () => {
      for (let round = 0; round < 10; round++) {
        const around = layout()
        await store.write(saveLayout, around)
        const { id } = around.layout
        const [saved, deleted] = await Promise.all([
          store.write(saveTemplate, template({}, { layout: id })),
          store.write(deleteLayout, { ...tenant.owner, id, now: NOW }),
        ])
        assert.notEqual(saved.kind === 'saved', deleted === 'deleted')
      }
    })

    test('have layouts that are listed newest first, page by page', async () => {
      const other = await createTenant(store)
      const fields = { account_id: other.owner.accountId, domain_id: other.owner.domainId }
      for (const name of ['a', 'b', 'c']) await store.write(saveLayout, layout({ ...fields, name }))
      const [newest, next] = await listLayouts(store.read, other.owner, { limit: 2 })
      assert.deepEqual([newest?.name, next?.name], ['c', 'b'])
      const rest = await listLayouts(store.read, other.owner, { limit: 2, cursor: next?.id })
      assert.deepEqual(
        rest.map(({ name }) => name),
        ['a'],
      )
      assert.equal(await findLayout(store.read, tenant.owner, newest?.id ?? ''), undefined)
    })

    test('report every change to caches', async () => {
      let before = (await readVersions(store.read)).workspace
      const changed = async (): Promise<void> => {
        const now = (await readVersions(store.read)).workspace
        assert.notEqual(now, before)
        before = now
      }
      const around = layout()
      await store.write(saveLayout, around)
      await changed()
      const item = template()
      await store.write(saveTemplate, item)
      await changed()
      await store.write(deleteTemplate, { ...tenant.owner, id: item.template.id, now: NOW })
      await changed()
      await store.write(deleteLayout, { ...tenant.owner, id: around.layout.id, now: NOW })
      await changed()
    })
  })
}
