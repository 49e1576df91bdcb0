// Runs Postfix with OpenDKIM in a temporary directory, with a configuration for the measurement, and stops both
// programs at the end.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { accessSync, constants, openSync, readFileSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dkimRecord } from '../../src/dkim/keys.ts'
import { freePort } from '../../test/support/postgres.ts'
import { answerParent } from '../harness/child.ts'

const INSTALL = 'on Debian and Ubuntu: apt-get install postfix opendkim'
const DOMAIN = 'example.test'
const SELECTOR = 'bench'
const START_MS = 10_000

/** A running Postfix instance that signs submitted messages and relays all messages to the sink. */
interface StartedPostfix {
  /** Port for submission from this machine, without TLS. */
  readonly port: number
  /** DNS records of the keys that verify the DKIM signatures. */
  readonly records: ReadonlyMap<string, string>
  /** Process IDs of Postfix and OpenDKIM; all other processes of the two programs are descendants. */
  readonly pids: readonly number[]
}

let directory = ''
let running: readonly ChildProcess[] = []

/**
 * Starts Postfix and OpenDKIM with a new directory below `dir` (default: the system's temporary directory). Throws an
 * error that names a missing program.
 */
async function start({
  dir,
  sinkPort,
}: {
  readonly dir: string | undefined
  readonly sinkPort: number
}): Promise<StartedPostfix> {
  const [opendkim, postfix] = [find('opendkim'), find('postfix')]
  if (process.getuid?.() !== 0) {
    throw new Error(
      'Postfix gives each of its processes a user, which takes root: run this measurement as root',
    )
  }
  directory = await mkdtemp(join(dir ?? tmpdir(), 'postrider-bench-postfix-'))
  // Postfix runs as another user, who needs access to the directory.
  await chmod(directory, 0o755)
  const port = await freePort()
  const record = await writeSettings(port, sinkPort)
  // The log file contains the reason if a program does not start.
  const log = openSync(join(directory, 'log'), 'a')
  const stdio = ['ignore', log, log] as const
  running = [
    spawn(opendkim, ['-f', '-x', join(directory, 'opendkim.conf')], { stdio: [...stdio] }),
    spawn(postfix, ['-c', join(directory, 'config'), 'start-fg'], { stdio: [...stdio] }),
  ]
  await untilListening(port)
  const records = new Map([[`${SELECTOR}._domainkey.${DOMAIN}`, record]])
  return { port, records, pids: running.map((one) => one.pid as number) }
}

async function stop(): Promise<void> {
  const [milter, postfix] = running
  // The master process of Postfix is not the started process, and stops only by this command.
  if (isAlive(postfix)) {
    execFileSync(find('postfix'), ['-c', join(directory, 'config'), 'stop'], { stdio: 'ignore' })
  }
  if (isAlive(milter)) {
    milter.kill('SIGTERM')
    await once(milter, 'exit')
  }
  if (directory !== '') await rm(directory, { recursive: true, force: true })
}

const isAlive = (one: ChildProcess | undefined): one is ChildProcess =>
  one !== undefined && one.exitCode === null && one.signalCode === null

/** Returns the path of a program. Throws an error with installation instructions if the program is missing. */
function find(name: string): string {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  const found = folders.map((folder) => join(folder, name)).find((path) => isExecutable(path))
  if (found === undefined) throw new Error(`${name} is not installed; ${INSTALL}`)
  return found
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Writes the configuration of both programs and a DKIM key; returns the DNS record of the key. */
async function writeSettings(port: number, sinkPort: number): Promise<string> {
  const at = (name: string): string => join(directory, name)
  for (const name of ['config', 'queue', 'data']) await mkdir(at(name))
  await chown(at('data'), ...userOf('postfix'))
  await writeFile(at('config/main.cf'), mainCf(sinkPort))
  await writeFile(at('config/master.cf'), masterCf(port))
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  await writeFile(at('dkim.pem'), privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o644 })
  await writeFile(at('opendkim.conf'), opendkimConf())
  return dkimRecord('rsa-sha256', publicKey.export({ type: 'spki', format: 'der' }).toString('base64'))
}

function userOf(name: string): [uid: number, gid: number] {
  const id = (flag: string): number => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }))
  return [id('-u'), id('-g')]
}

/**
 * Returns the fastest configuration of Postfix that was found. The configuration disables DNS lookups and the input
 * delay, relays all mail to the sink with the best number of concurrent deliveries, and keeps connections open.
 */
const mainCf = (sinkPort: number): string =>
  settingsText({
    compatibility_level: '3.6',
    queue_directory: join(directory, 'queue'),
    data_directory: join(directory, 'data'),
    myhostname: 'bench.test',
    mydestination: '',
    alias_maps: '',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    mynetworks: '127.0.0.0/8',
    smtpd_relay_restrictions: 'permit_mynetworks, reject',
    smtpd_peername_lookup: 'no',
    smtpd_client_connection_count_limit: '0',
    relayhost: `[127.0.0.1]:${sinkPort}`,
    smtp_dns_support_level: 'disabled',
    smtp_connection_cache_destinations: '127.0.0.1',
    in_flow_delay: '0',
    default_destination_concurrency_limit: '50',
    initial_destination_concurrency: '50',
    smtpd_milters: `unix:${join(directory, 'opendkim.sock')}`,
    milter_default_action: 'tempfail',
  })

const settingsText = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('')

/** Returns the Postfix services that sending needs; no service runs in a chroot. */
const masterCf = (port: number): string =>
  [
    `127.0.0.1:${port} inet n - n - - smtpd`,
    'cleanup unix n - n - 0 cleanup',
    'qmgr unix n - n 300 1 qmgr',
    'rewrite unix - - n - - trivial-rewrite',
    'bounce unix - - n - 0 bounce',
    'defer unix - - n - 0 bounce',
    'trace unix - - n - 0 bounce',
    'anvil unix - - n - 1 anvil',
    'scache unix - - n - 1 scache',
    'proxymap unix - - n - - proxymap',
    'smtp unix - - n - - smtp',
    'retry unix - - n - - error',
    'error unix - - n - - error',
    'tlsmgr unix - - n 1000? 1 tlsmgr',
    '',
  ].join('\n')

const opendkimConf = (): string =>
  [
    `Socket local:${join(directory, 'opendkim.sock')}`,
    'UMask 000',
    'Mode s',
    'Canonicalization relaxed/relaxed',
    `Domain ${DOMAIN}`,
    `Selector ${SELECTOR}`,
    `KeyFile ${join(directory, 'dkim.pem')}`,
    'RequireSafeKeys no',
    'Syslog no',
    '',
  ].join('\n')

async function untilListening(port: number): Promise<void> {
  for (const until = Date.now() + START_MS; Date.now() < until; await sleep(50)) {
    const ended = running.find((one) => one.exitCode !== null)
    if (ended !== undefined) {
      throw new Error(`${ended.spawnfile} ended: ${readFileSync(join(directory, 'log'), 'utf8')}`)
    }
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect({ host: '127.0.0.1', port })
      socket.once('data', () => resolve(true)).once('error', () => resolve(false))
      socket.once('data', () => socket.end('QUIT\r\n'))
    })
    if (open) return
  }
  throw new Error('Postfix does not respond')
}

const calls = { start }
export type PostfixCalls = typeof calls
// Ctrl-C sends SIGINT to every process of the terminal. This process ignores SIGINT, and stops Postfix when the
// parent process has ended.
process.on('SIGINT', () => {})
answerParent(calls, stop)
