// The settings in force name their source and hide secrets.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { settingsInForce } from './in-force.ts'
import { loadConfig } from './load.ts'
import { SETTINGS } from './settings.ts'

test('every setting names its value, its source and its default, and no secret', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-settings-'))
  after(() => rm(directory, { recursive: true }))
  const file = join(directory, 'settings.env')
  await writeFile(file, 'POSTRIDER_LOG_LEVEL=warn\nPOSTRIDER_TRACES_ONE_IN=5\n')
  const token = 'a-secret-token-of-the-operator-with-40-chars'
  const config = loadConfig({
    POSTRIDER_CONFIG: file,
    POSTRIDER_OPERATOR_TOKEN: token,
    POSTRIDER_TRACES_ONE_IN: ' 7 ',
    POSTRIDER_DATABASE_URL: 'postgres://postrider:pass@127.0.0.1/postrider',
  })
  const all = settingsInForce({ ...config })
  assert.deepEqual(
    all.map(({ name }) => name),
    Object.values(SETTINGS).map(({ name }) => name),
  )
  const of = (name: string) => {
    const { value, source, default: usual } = all.find((one) => one.name === name) ?? assert.fail(name)
    return [value, source, usual]
  }
  assert.deepEqual(of('POSTRIDER_LOG_LEVEL'), ['warn', 'file', 'info'])
  // The environment has precedence over the file.
  assert.deepEqual(of('POSTRIDER_TRACES_ONE_IN'), ['7', 'environment', '1'])
  assert.deepEqual(of('POSTRIDER_MODE'), ['playground', 'default', 'playground'])
  assert.deepEqual(of('POSTRIDER_OPERATOR_TOKEN').slice(0, 2), ['set', 'environment'])
  assert.deepEqual(of('POSTRIDER_DATABASE_URL').slice(0, 2), ['set', 'environment'])
  assert.deepEqual(of('POSTRIDER_TRACES_URL').slice(0, 2), [null, 'default'])
  const text = JSON.stringify(all)
  assert.ok(!text.includes(token) && !text.includes('pass@'))
})
