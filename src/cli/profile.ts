// postrider profile: keeps the URLs and the keys of installations elsewhere.

import { Problem } from '../model/problem.ts'
import type { Answer, Context, RemoteOptions } from './command.ts'
import { type Profiles, readProfiles, writeProfiles } from './profiles.ts'
import { remoteIn } from './target.ts'
import { table } from './text.ts'

/** Shows a profile with the end of its key. */
const profileDocument = ({ current, profiles }: Profiles, name: string): object => {
  const { url = '', key = '' } = profiles.get(name) ?? {}
  return { name, url, last4: key.slice(-4), current: name === current }
}

/** Stores the URL and the key given with the command, or in the environment; the first profile is used at once. */
export async function add(
  context: Context,
  { name }: { readonly name: string },
  { url, key }: RemoteOptions,
): Promise<Answer> {
  const { env } = context
  const given = { url: url ?? env.POSTRIDER_URL, key: key ?? env.POSTRIDER_KEY }
  const remote = await remoteIn(context, given, 'profile add')
  const before = await readProfiles(context)
  const isFirst = before.profiles.size === 0
  const after = {
    current: isFirst ? name : before.current,
    profiles: new Map([...before.profiles, [name, remote]]),
  }
  const path = await writeProfiles(context, after)
  const use = after.current === name ? 'Commands use it' : `Use it with: postrider profile use ${name}`
  return {
    document: profileDocument(after, name),
    text: `The profile ${name} for ${remote.url} is stored in ${path}.\n${use}.`,
  }
}

export async function list(context: Context): Promise<Answer> {
  const all = await readProfiles(context)
  const rows = [...all.profiles].map(([name, { url, key }]) => [
    ...[name, url, `…${key.slice(-4)}`, name === all.current ? 'in use' : ''],
  ])
  return {
    document: { data: [...all.profiles.keys()].map((name) => profileDocument(all, name)) },
    text: table(
      ['profile', 'url', 'key ends in', ''],
      rows,
      'There is no profile; add one with: postrider profile add NAME --url URL --key -',
    ),
  }
}

/** Selects the profile that commands use; without a name, commands use the store of this machine. */
export async function use(
  context: Context,
  { name }: { readonly name: string | undefined },
): Promise<Answer> {
  const all = await readProfiles(context)
  if (name === undefined) {
    await writeProfiles(context, { ...all, current: null })
    return { document: { current: null }, text: 'Commands use the store of this machine.' }
  }
  const { url } = existing(all, name)
  await writeProfiles(context, { ...all, current: name })
  return { document: { current: name }, text: `Commands use ${url}.` }
}

export async function remove(context: Context, { name }: { readonly name: string }): Promise<Answer> {
  const all = await readProfiles(context)
  existing(all, name)
  const profiles = new Map(all.profiles)
  profiles.delete(name)
  await writeProfiles(context, { current: all.current === name ? null : all.current, profiles })
  return {
    document: { name, removed: true },
    text: `The profile ${name} is removed; its key is still valid.`,
  }
}

function existing({ profiles }: Profiles, name: string) {
  const found = profiles.get(name)
  if (found !== undefined) return found
  throw new Problem(
    'not_found',
    `There is no profile ${JSON.stringify(name)}; \`postrider profile list\` shows all profiles.`,
  )
}
