// A self-signed certificate for hosts in tests, made once a process.

import { generate } from 'selfsigned'

export interface Certificate {
  readonly key: string
  readonly cert: string
}

let made: Promise<Certificate> | undefined

/** Names `mx.test`, `localhost` and 127.0.0.1. */
export function testCertificate(): Promise<Certificate> {
  made ??= generate([{ name: 'commonName', value: 'mx.test' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'mx.test' },
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  }).then((pems) => ({ key: pems.private, cert: pems.cert }))
  return made
}
