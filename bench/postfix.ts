// Postfix with OpenDKIM: an instance of its own, in a temporary directory, with settings of its own.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { accessSync, constants } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dkimRecord } from '../src/dkim/keys.ts'
import { freePort } from '../test/support/postgres.ts'
import { type TreeFigures, treeFigures } from './process-tree.ts'

const INSTALL = 'on Debian and Ubuntu: apt-get install postfix opendkim'
const DOMAIN = 'example.test'
const SELECTOR = 'bench'
const START_MS = 10_000

/** A running instance that signs what comes in and hands everything to the sink. */
export class Postfix {
  /** Where it takes mail, in plaintext from this machine. */
  readonly port: number
  /** The DNS records that its signatures are checked by. */
  readonly records: ReadonlyMap<string, string>
  readonly #directory: string
  readonly #processes: readonly ChildProcess[]

  private constructor(directory: string, port: number, record: string, processes: readonly ChildProcess[]) {
    this.#directory = directory
    this.port = port
    this.records = new Map([[`${SELECTOR}._domainkey.${DOMAIN}`, record]])
    this.#processes = processes
  }

  /** Starts one whose directory is made in `parent`. Throws in words what it lacks. */
  static async start(parent: string, sinkPort: number): Promise<Postfix> {
    const opendkim = find('opendkim')
    const postfix = find('postfix')
    if (process.getuid?.() !== 0) {
      throw new Error(
        "Postfix changes users, which takes root: run this measurement as root, or without '--beside'",
      )
    }
    const directory = await mkdtemp(join(parent, 'postrider-bench-postfix-'))
    // Postfix and OpenDKIM work as users of their own, who have to get in.
    await chmod(directory, 0o755)
    const port = await freePort()
    const record = await writeSettings(directory, port, sinkPort)
    const settings = { stdio: ['ignore', 'ignore', 'inherit'] as const }
    const milter = spawn(opendkim, ['-f', '-x', join(directory, 'opendkim.conf')], {
      stdio: [...settings.stdio],
    })
    const master = spawn(postfix, ['-c', join(directory, 'config'), 'start-fg'], {
      stdio: [...settings.stdio],
    })
    const started = new Postfix(directory, port, record, [master, milter])
    try {
      await untilListening(port, master)
      return started
    } catch (error) {
      await started.stop()
      throw error
    }
  }

  /** CPU and memory of all its processes, since they began. */
  figures(): TreeFigures {
    const all = this.#processes.map((one) => treeFigures(one.pid as number))
    return {
      cpuMicros: all.reduce((sum, one) => sum + one.cpuMicros, 0),
      memoryMiB: all.reduce((sum, one) => sum + one.memoryMiB, 0),
    }
  }

  async stop(): Promise<void> {
    for (const one of this.#processes) {
      if (one.exitCode !== null || one.signalCode !== null) continue
      const ended = new Promise((resolve) => one.once('exit', resolve))
      one.kill('SIGTERM')
      await ended
    }
    await rm(this.#directory, { recursive: true, force: true })
  }
}

/** The path of a program. Throws how to install it when it is not there. */
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

/** Writes both configurations and the key; answers the key's DNS record. */
async function writeSettings(directory: string, port: number, sinkPort: number): Promise<string> {
  const at = (name: string): string => join(directory, name)
  for (const name of ['config', 'queue', 'data']) await mkdir(at(name))
  await chown(at('data'), ...userOf('postfix'))
  await writeFile(at('config/main.cf'), mainCf(directory, sinkPort))
  await writeFile(at('config/master.cf'), masterCf(port))
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  await writeFile(at('dkim.pem'), privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o644 })
  await writeFile(at('opendkim.conf'), opendkimConf(directory))
  return dkimRecord('rsa-sha256', publicKey.export({ type: 'spki', format: 'der' }).toString('base64'))
}

function userOf(name: string): [uid: number, gid: number] {
  const id = (flag: string): number => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }))
  return [id('-u'), id('-g')]
}

/**
 * As fast as Postfix goes here: no name is looked up, in or out; nothing slows the input down; the sink counts as one
 * next hop, with as many deliveries at once as were found best; connections to it are kept.
 */
const mainCf = (directory: string, sinkPort: number): string =>
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
    smtp_connection_cache_destinations: `[127.0.0.1]:${sinkPort}`,
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

/** What sending needs of the usual services, none of them in a chroot. */
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

const opendkimConf = (directory: string): string =>
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

async function untilListening(port: number, master: ChildProcess): Promise<void> {
  for (const until = Date.now() + START_MS; Date.now() < until; await sleep(50)) {
    if (master.exitCode !== null) throw new Error(`Postfix ended with ${master.exitCode}`)
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect({ host: '127.0.0.1', port })
      socket.once('data', () => resolve(true)).once('error', () => resolve(false))
      socket.once('data', () => socket.end('QUIT\r\n'))
    })
    if (open) return
  }
  throw new Error('Postfix does not answer')
}
