// The files in deploy/ load in the programs that they are for, as far as this machine has the programs.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testCertificate } from '../../support/certificate.ts'

const DEPLOY = fileURLToPath(new URL('../../../deploy/', import.meta.url))

/** Places of programs that the search path of a user may leave out. */
const PATH = `${process.env.PATH}:/usr/sbin:/sbin`

/** Returns the skip reason of a test if the program is missing. */
function needs(program: string): { readonly skip: string | false } {
  const { status } = spawnSync('sh', ['-c', 'command -v "$0"', program], { env: { PATH } })
  return { skip: status === 0 ? false : `${program} is not installed` }
}

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
      // Ports that need no privilege, since `nginx -t` opens the ports.
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
})
