// The commands of README.md run as written, in a clone. package.test.ts runs them with the installed package.

// thorough: 8 CPU s: starts two programs and runs every command of the README

import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { PROGRAM_ENV, PROGRAM_ROOT } from '../../support/program.ts'
import { checkFirstSteps, checkProduction, type Workplace } from '../../support/readme.ts'

describe('the commands of the README', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-readme-'))
  })
  after(() => rm(folder, { recursive: true }))

  async function workplace(name: string): Promise<Workplace> {
    const place = join(folder, name)
    await mkdir(join(place, 'bin'), { recursive: true })
    await symlink(join(PROGRAM_ROOT, 'bin/postrider'), join(place, 'bin/postrider'))
    return { folder: place, env: PROGRAM_ENV }
  }

  test('send, follow, render and verify in the playground', async () => {
    await checkFirstSteps(await workplace('playground'))
  })

  test('set up production', async () => {
    await checkProduction(await workplace('production'))
  })
})
