// Dialog with programs that send the template by the API or by SMTP, with its alias and its model.

import { Anchor, Button, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { IconCode } from '../../parts/icons.tsx'
import { templates } from '../../texts/en/templates.ts'
import { fill, parts } from '../../texts/texts.ts'
import { useDomainName } from '../domains/workspace.ts'
import { credentialsQuery, smtpCredentialsOf } from '../keys/calls.ts'
import { SnippetTabs } from '../keys/snippet-tabs.tsx'
import type { Saved } from './calls.ts'
import { sendSnippets } from './send-snippets.ts'
import { hasUnsubscribeLink } from './test-send.tsx'

const words = templates.use

interface UseTemplateProps {
  readonly domainId: string
  readonly saved: Saved
  readonly model: object | undefined
}

export function UseTemplate(props: UseTemplateProps) {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant="default" leftSection={<IconCode size={16} stroke={1.6} />} onClick={open}>
        {words.title}
      </Button>
      <Modal opened={opened} onClose={close} title={fill(words.send, { name: props.saved.name })} size="xl">
        <Snippets {...props} />
      </Modal>
    </>
  )
}

function Snippets({ domainId, saved, model }: UseTemplateProps) {
  const domain = useDomainName() ?? 'example.com'
  const { data } = useQuery(credentialsQuery(smtpCredentialsOf(domainId)))
  return (
    <Stack>
      <Text fz="sm">
        {parts(words.hint, {
          keys: (
            <Anchor key="keys" component={Link} to={`/domains/${domainId}/keys`} inherit>
              {words.keys}
            </Anchor>
          ),
          smtp: (
            <Anchor key="smtp" component={Link} to={`/domains/${domainId}/smtp`} inherit>
              {words.smtp}
            </Anchor>
          ),
        })}
      </Text>
      <SnippetTabs
        key={data === undefined ? 'first' : 'all'}
        snippets={sendSnippets({
          baseUrl: `${window.location.origin}/v1`,
          smtp: data?.listener,
          from: `hello@${domain}`,
          to: 'you@example.net',
          template: saved.alias ?? saved.id,
          isAlias: saved.alias !== null,
          subject: saved.subject === null ? saved.name : undefined,
          stream: hasUnsubscribeLink(saved) ? 'broadcast' : undefined,
          model: model ?? {},
        })}
      />
    </Stack>
  )
}
