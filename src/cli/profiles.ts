// Profiles: the URL and the key of installations elsewhere, by name, in a file of the user.

import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Problem } from '../model/problem.ts'
import type { Context } from './command.ts'
import type { Remote } from './remote.ts'

/** Content of the file of profiles. */
export interface Profiles {
  /** Name of the profile that commands use by default; null for the store of this machine. */
  readonly current: string | null
  readonly profiles: ReadonlyMap<string, Remote>
}

/** Maximum size of the file in bytes. */
const MAX_BYTES = 1_048_576

/**
 * Returns the path of the file of profiles (XDG Base Directory Specification); undefined for a user without a home
 * directory, such as that of a service.
 */
function profilesFile({ env }: Pick<Context, 'env'>): string | undefined {
  const home = env.HOME?.trim() || env.USERPROFILE?.trim()
  const folder = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : home && join(home, '.config')
  return folder && join(folder, 'postrider', 'profiles.json')
}

/**
 * Reads the profiles; none if there is no file. Throws `conflict` for a file that other users may read or that is not a
 * file of profiles.
 */
export async function readProfiles(context: Pick<Context, 'env'>): Promise<Profiles> {
  const path = profilesFile(context)
  if (path === undefined) return { current: null, profiles: new Map() }
  let text: string
  try {
    const { mode, size } = await stat(path)
    // Windows has no such permissions.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new Problem('conflict', `Other users may read the keys in ${path}; run chmod 600 ${path}`)
    }
    if (size > MAX_BYTES) throw unreadable(path)
    text = await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { current: null, profiles: new Map() }
    throw error
  }
  const document = documentIn(text)
  if (document === undefined) throw unreadable(path)
  return document
}

const unreadable = (path: string): Problem =>
  new Problem('conflict', `${path} is not a file of profiles; repair or remove the file.`)

function documentIn(text: string): Profiles | undefined {
  let document: { readonly current?: unknown; readonly profiles?: unknown } | null
  try {
    document = JSON.parse(text)
  } catch {
    return undefined
  }
  const { current = null, profiles = {} } = document ?? {}
  if (typeof profiles !== 'object' || profiles === null) return undefined
  const entries = Object.entries(profiles as Readonly<Record<string, Partial<Remote> | null>>)
  const all = new Map<string, Remote>()
  for (const [name, remote] of entries) {
    if (typeof remote?.url !== 'string' || typeof remote.key !== 'string') return undefined
    all.set(name, { url: remote.url, key: remote.key })
  }
  if (current !== null && typeof current !== 'string') return undefined
  return { current, profiles: all }
}

/** Writes the profiles, in one step, to a file that only the user may read; returns the path of the file. */
export async function writeProfiles(
  context: Pick<Context, 'env'>,
  { current, profiles }: Profiles,
): Promise<string> {
  const path = profilesFile(context)
  if (path === undefined)
    throw new Problem('conflict', 'There is no home directory for the profiles; set HOME.')
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const next = `${path}.${randomBytes(6).toString('hex')}`
  try {
    const file = await open(next, 'wx', 0o600)
    try {
      // The mode of a new file depends on the umask.
      await file.chmod(0o600)
      await file.writeFile(
        `${JSON.stringify({ current, profiles: Object.fromEntries(profiles) }, null, 2)}\n`,
      )
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(next, path)
    return path
  } catch (error) {
    await rm(next, { force: true })
    throw error
  }
}
