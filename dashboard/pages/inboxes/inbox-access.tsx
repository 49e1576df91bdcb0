// The base URL and the user name of a test inbox, for clients of Mailpit and MailHog.

import { Group, Stack, Text } from '@mantine/core'
import { Breakable } from '../../parts/breakable.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Facts } from '../../parts/facts.tsx'
import { inboxes as words } from '../../texts/en/inboxes.ts'
import { type Inbox, MAILBOX } from './calls.ts'
import './inboxes.css'

export function InboxAccess({ inbox: { inbox_id, base_url, username } }: { readonly inbox: Inbox }) {
  return (
    <Stack gap="md" className="inbox-access">
      <Text fz="sm">{words.accessHint}</Text>
      <Facts
        facts={[
          [words.baseUrl, <Copied key="url" text={base_url} what={words.theBaseUrl} />],
          [
            words.username,
            inbox_id === MAILBOX ? (
              words.noLogin
            ) : (
              <Copied key="name" text={username} what={words.theUsername} />
            ),
          ],
        ]}
      />
    </Stack>
  )
}

/** A text with a button that copies it; a long address has its line breaks after slashes. */
export const Copied = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <Group gap={4} wrap="nowrap" className="inbox-copied">
    <span className="code-line">
      <Breakable text={text} after="/" />
    </span>
    <CopyButton text={text} what={what} />
  </Group>
)
