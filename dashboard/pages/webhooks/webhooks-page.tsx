// The list of the webhooks that receive the events of a domain.

import { useState } from 'react'
import { Page } from '../../parts/page.tsx'
import { webhooks as words } from '../../texts/en/webhooks.ts'
import { useDomainId } from '../domains/workspace.ts'
import { WebhookForm } from './webhook-form.tsx'
import { CreateWebhook, WebhookList } from './webhook-list.tsx'

export function Component() {
  const domainId = useDomainId()
  const [creating, setCreating] = useState(false)
  return (
    <Page
      title={words.title}
      intro={words.intro}
      actions={<CreateWebhook place={domainId} open={() => setCreating(true)} />}
    >
      <WebhookList place={domainId} open={() => setCreating(true)} />
      <WebhookForm
        place={domainId}
        edited={creating ? 'new' : undefined}
        onClose={() => setCreating(false)}
      />
    </Page>
  )
}
