// The programs that use the files in deploy/, such as nginx and systemd, accept these files; a test is skipped if this
// machine lacks the program.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { parseAllDocuments, parseDocument } from 'yaml'
import { testCertificate } from '../../support/certificate.ts'

const DEPLOY = fileURLToPath(new URL('../../../deploy/', import.meta.url))

const MODULES = fileURLToPath(new URL('../../../node_modules/', import.meta.url))
/** Types of the Kubernetes API, which are generated from its OpenAPI document. */
const TYPES = join(MODULES, 'kubernetes-types')
const TSC = join(MODULES, 'typescript/bin/tsc')

/** Variables that the compose files require. */
const COMPOSE_SETTINGS = {
  POSTRIDER_HOSTNAME: 'mail.example.com',
  POSTRIDER_PUBLIC_URL: 'https://mail.example.com',
  DATABASE_PASSWORD: 'secret',
}

const strictly = { additionalProperties: false } as const
const Texts = Type.Array(Type.String())
const Duration = Type.String({ pattern: '^\\d+(ms|s|m|h)$' })

/**
 * The fields of the Compose specification that the compose files use; a new field has to be added here.
 * https://github.com/compose-spec/compose-spec/blob/main/05-services.md
 */
const COMPOSE_SERVICE = Type.Object(
  {
    image: Type.String(),
    build: Type.Optional(Type.Object({ context: Type.String(), dockerfile: Type.String() }, strictly)),
    restart: Type.Union(['no', 'always', 'on-failure', 'unless-stopped'].map((one) => Type.Literal(one))),
    read_only: Type.Optional(Type.Boolean()),
    cap_drop: Type.Optional(Texts),
    security_opt: Type.Optional(Texts),
    stop_grace_period: Type.Optional(Duration),
    depends_on: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object(
          {
            condition: Type.Union(
              ['service_started', 'service_healthy', 'service_completed_successfully'].map((one) =>
                Type.Literal(one),
              ),
            ),
          },
          strictly,
        ),
      ),
    ),
    environment: Type.Record(Type.String(), Type.String()),
    healthcheck: Type.Optional(Type.Object({ test: Texts, interval: Duration }, strictly)),
    ports: Type.Optional(Type.Array(Type.String({ pattern: '^([0-9.]+:)?\\d+:\\d+$' }))),
    volumes: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z0-9-]+:/' }))),
    tmpfs: Type.Optional(Texts),
  },
  strictly,
)

const COMPOSE = Type.Object(
  {
    'x-node': Type.Optional(Type.Unknown()),
    'x-settings': Type.Optional(Type.Unknown()),
    services: Type.Record(Type.String(), COMPOSE_SERVICE),
    volumes: Type.Record(Type.String(), Type.Null()),
  },
  strictly,
)

/** Search path with the directories of system programs, which may be missing in the search path of a user. */
const PATH = `${process.env.PATH}:/usr/sbin:/sbin`

/** Returns the skip reason of a test if the program is missing. */
function needs(program: string): { readonly skip: string | false } {
  const { status } = spawnSync('sh', ['-c', 'command -v "$0"', program], { env: { PATH } })
  return { skip: status === 0 ? false : `${program} is not installed` }
}

/** Command that runs docker compose, as a plugin or as a separate program; undefined if neither is installed. */
const composeCommand = [['docker', 'compose'], ['docker-compose']].find(
  ([program = '', ...words]) => spawnSync(program, [...words, 'version'], { env: { PATH } }).status === 0,
)

describe('the files for deployment', () => {
  let directory: string
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'postrider-deploy-'))
  })
  after(() => rm(directory, { recursive: true, force: true }))

  /** Runs a program on the files; returns its output. Throws an error with the output if the program refuses a file. */
  const run = (program: string, ...words: string[]): string =>
    execFileSync(program, words, { env: { PATH, HOME: directory }, encoding: 'utf8', stdio: 'pipe' })

  test('nginx.conf loads in nginx', needs('nginx'), async () => {
    const { cert, key } = await testCertificate()
    await writeFile(join(directory, 'fullchain.pem'), cert)
    await writeFile(join(directory, 'privkey.pem'), key)
    const server = readFileSync(join(DEPLOY, 'nginx.conf'), 'utf8')
      .replaceAll('/etc/letsencrypt/live/mail.example.com', directory)
      // The file gets unprivileged ports, because `nginx -t` opens the ports.
      .replaceAll(
        /(listen (?:\[::\]:)?)(443|80)\b/g,
        (_, listen, port) => `${listen}1${port.padStart(4, '8')}`,
      )
    await writeFile(join(directory, 'server.conf'), server)
    const main = join(directory, 'nginx.conf')
    await writeFile(
      main,
      `pid ${directory}/nginx.pid; error_log stderr; events {} http { access_log off; include ${directory}/server.conf;
        ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory}/${name};`).join(' ')} }`,
    )
    const { status, stderr } = spawnSync('nginx', ['-t', '-c', main], { env: { PATH }, encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  })

  test('Caddyfile loads in Caddy', needs('caddy'), () => {
    run('caddy', 'validate', '--adapter', 'caddyfile', '--config', join(DEPLOY, 'Caddyfile'))
  })

  test('the alert rules load in Prometheus', needs('promtool'), () => {
    assert.match(run('promtool', 'check', 'rules', join(DEPLOY, 'prometheus-alerts.yaml')), /SUCCESS/)
  })

  test('the unit loads in systemd', needs('systemd-analyze'), async () => {
    await cp(join(DEPLOY, 'postrider.service'), join(directory, 'postrider.service'))
    const words = ['verify', '--man=no', join(directory, 'postrider.service')]
    const { status, stderr } = spawnSync('systemd-analyze', words, { env: { PATH }, encoding: 'utf8' })
    const findings = stderr.split('\n').filter((line) => line.includes('postrider.service'))
    assert.deepEqual([status, findings], [0, []], stderr)
  })

  test('kubectl puts the image of kustomization.yaml into the manifests', needs('kubectl'), async () => {
    const folder = join(directory, 'kustomize')
    await mkdir(folder)
    for (const name of ['kubernetes.yaml', 'kustomization.yaml'])
      await cp(join(DEPLOY, name), join(folder, name))
    const built = run('kubectl', 'kustomize', folder)
    assert.match(built, /image: registry\.example\.com\/postrider:\d+\.\d+\.\d+$/m)
  })

  test('the manifests have the fields and types of the Kubernetes API', async () => {
    const folder = join(directory, 'types')
    await mkdir(folder)
    const documents = parseAllDocuments(readFileSync(join(DEPLOY, 'kubernetes.yaml'), 'utf8')).map((one) =>
      one.toJS(),
    )
    const typed = (document: { apiVersion: string; kind: string }): string => {
      const [version = '', group = 'core'] = document.apiVersion
        .replace('.k8s.io', '')
        .split('/')
        .toReversed()
      const type = `import(${JSON.stringify(join(TYPES, group, version))}).${document.kind}`
      return `(${JSON.stringify(document)}) satisfies ${type}`
    }
    const [first] = documents
    const lines = [
      ...documents.map(typed),
      '// @ts-expect-error -- a misspelled field is found',
      typed({ ...first, metdata: {} }),
    ]
    await writeFile(join(folder, 'manifests.ts'), lines.join('\n'))
    const words = [TSC, '--noEmit', '--strict', '--types', '', 'manifests.ts']
    const { status, stdout } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' })
    assert.deepEqual([status, stdout], [0, ''])
  })

  const compose = ['compose.yaml', 'compose-postgres.yaml']
  test(
    'docker compose loads the compose files',
    composeCommand === undefined ? { skip: 'docker compose is not installed' } : {},
    () => {
      const [program = '', ...words] = composeCommand ?? []
      for (const name of compose) {
        const env = { PATH, HOME: directory, ...COMPOSE_SETTINGS }
        execFileSync(program, [...words, '-f', join(DEPLOY, name), 'config', '--quiet'], {
          env,
          stdio: 'pipe',
        })
      }
    },
  )

  test('the compose files have only fields of the Compose specification', () => {
    for (const name of compose) {
      const document = parseDocument(readFileSync(join(DEPLOY, name), 'utf8'), { merge: true }).toJS()
      assert.deepEqual(Value.Errors(COMPOSE, document), [], name)
      const { services, volumes } = document as Static<typeof COMPOSE>
      for (const service of Object.values(services)) {
        for (const volume of service.volumes ?? [])
          assert.ok((volume.split(':')[0] as string) in volumes, volume)
        for (const other of Object.keys(service.depends_on ?? {})) assert.ok(other in services, other)
      }
    }
  })
})
