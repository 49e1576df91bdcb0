// A broadcast is refused in production if its recipients could not unsubscribe.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestApp } from '../../support/app.ts'
import { createTenant } from '../../support/tenant.ts'

for (const [publicUrl, broadcast] of [
  ['', 403],
  ['http://mail.example.com', 403],
  ['https://127.0.0.1:8025', 403],
  ['https://mail.example.com', 202],
] as const) {
  test(`broadcasts with POSTRIDER_PUBLIC_URL=${publicUrl} are answered with ${broadcast}`, async () => {
    const app = await TestApp.start({
      env: {
        ...{ POSTRIDER_MODE: 'production', POSTRIDER_INBOUND_PORT: '0', POSTRIDER_ROLES: 'api' },
        ...(publicUrl === '' ? {} : { POSTRIDER_PUBLIC_URL: publicUrl }),
      },
    })
    try {
      const { sendingKey, domain } = await createTenant(app.store)
      const send = async (stream: string) => {
        const response = await fetch(`${app.app.localUrl}/v1/messages`, {
          method: 'POST',
          headers: { authorization: `Bearer ${sendingKey}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            from: `a@${domain.name}`,
            to: [{ email: 'b@receiver.example' }],
            ...{ stream, subject: 'News', text: 'News.' },
          }),
        })
        return {
          status: response.status,
          body: (await response.json()) as { code?: string; detail?: string },
        }
      }
      assert.equal((await send('transactional')).status, 202)
      const { status, body } = await send('broadcast')
      assert.equal(status, broadcast, JSON.stringify(body))
      if (broadcast === 202) return
      assert.equal(body.code, 'domain_not_verified')
      assert.match(body.detail ?? '', /could not unsubscribe: POSTRIDER_PUBLIC_URL is .* https address/)
    } finally {
      await app.stop()
    }
  })
}
