// Tests that files are written completely or not at all, even if a writer fails or is killed.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chown,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { giveToOwnerOf, makeDirectory, writeWholeFile } from './whole-file.ts'

let directory: string
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'postrider-whole-'))
})
after(() => rm(directory, { recursive: true }))

test('a file has the new content and its mode, and no temporary file is left', async () => {
  const path = join(directory, 'a.json')
  await writeWholeFile(path, 'one', 0o600)
  await writeWholeFile(path, 'two', 0o600)
  assert.equal(await readFile(path, 'utf8'), 'two')
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.deepEqual(await readdir(directory), ['a.json'])
})

test('a file that cannot be renamed leaves nothing behind', async () => {
  const path = join(directory, 'taken')
  await mkdir(join(path, 'full'), { recursive: true })
  await assert.rejects(writeWholeFile(path, 'x', 0o600))
  assert.deepEqual(
    (await readdir(directory)).filter((name) => name.endsWith('.part')),
    [],
  )
})

test('the file of a killed writer is removed by the next one, but not that of another active writer', async () => {
  const dead = spawnSync('true').pid
  const path = join(directory, 'b.json')
  const left = `${path}.${dead}.part`
  const others = `${path}.${process.ppid}.part`
  await writeFile(left, 'half')
  await writeFile(others, 'half')
  await writeWholeFile(path, 'whole', 0o600)
  const names = await readdir(directory)
  assert.deepEqual(
    [names.includes(`b.json.${dead}.part`), names.includes(`b.json.${process.ppid}.part`)],
    [false, true],
  )
})

test('missing directories are created for their owner only', async () => {
  const path = join(directory, 'deep', 'deeper')
  makeDirectory(path)
  makeDirectory(path)
  assert.equal((await stat(path)).mode & 0o777, 0o700)
})

test('root gives its files to the owner of the directory, but not symbolic links and files with other names', async (context) => {
  if (process.getuid?.() !== 0) return context.skip('only root can change the owner of a file')
  const owned = join(directory, 'owned')
  await mkdir(owned)
  await chown(owned, 999, 998)
  const at = (name: string): string => join(owned, name)
  for (const name of ['made', 'target', 'linked', 'last']) await writeFile(at(name), name)
  await symlink(at('target'), at('symbolic'))
  await link(at('linked'), at('other-name'))
  await giveToOwnerOf(
    owned,
    ['made', 'symbolic', 'linked', 'last'].map((name) => at(name)),
  )
  const owners = await Promise.all(
    ['made', 'target', 'linked', 'last'].map(async (name) => {
      const { uid, gid } = await stat(at(name))
      return [uid, gid]
    }),
  )
  assert.deepEqual(owners, [
    [999, 998],
    [0, process.getgid?.()],
    [0, process.getgid?.()],
    [999, 998],
  ])
})
