// The page of a webhook of the account.

import { WebhookPage } from '../webhooks/webhook-page.tsx'

export const Component = () => <WebhookPage place={null} />
