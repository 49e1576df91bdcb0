// Button that sends the message of the shown row to the user.

import { useMutation } from '@tanstack/react-query'
import { ActionButton } from '../../parts/action-button.tsx'
import { IconSend } from '../../parts/icons.tsx'
import { tell } from '../../parts/tell.ts'
import { useSession } from '../../session.ts'
import { bulk as words } from '../../texts/en/bulk.ts'
import { fill } from '../../texts/texts.ts'
import { sendTest } from '../templates/calls.ts'

interface TestRowProps {
  readonly domainId: string
  /** Message without recipients; undefined if fields are missing. */
  readonly message: object | undefined
}

export function TestRow({ domainId, message }: TestRowProps) {
  const { email } = useSession().user
  const sending = useMutation({
    mutationFn: () => sendTest(domainId, { ...message, to: [{ email }], tag: 'test' }),
    onSuccess: () => tell.done(fill(words.new.testSent, { email })),
    onError: tell.problem,
  })
  return (
    <ActionButton
      variant="default"
      size="xs"
      leftSection={<IconSend size={14} stroke={1.6} />}
      loading={sending.isPending}
      disabled={message === undefined}
      onClick={() => sending.mutate()}
    >
      {words.new.test}
    </ActionButton>
  )
}
