// The sessions of the current user, with buttons that end them.

import { Button, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ActionButton } from '../../parts/action-button.tsx'
import { Card } from '../../parts/card.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { account as words } from '../../texts/en/account.ts'
import { fill } from '../../texts/texts.ts'
import { endOtherSessions, endSession, sessionsQuery } from './calls.ts'

export function OwnSessions() {
  const sessions = useQuery(sessionsQuery)
  const queries = useQueryClient()
  const settled = { onSettled: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }) }
  const end = useMutation({ mutationFn: (id: string) => endSession(id), onError: tell.problem, ...settled })
  const endOthers = useMutation({
    mutationFn: endOtherSessions,
    onSuccess: () => tell.done(words.login.othersLoggedOut),
    onError: tell.problem,
    ...settled,
  })
  const others = (sessions.data?.data.length ?? 0) > 1
  return (
    <Card
      title={words.login.activeSessions}
      actions={
        others && (
          <ActionButton
            variant="default"
            size="xs"
            loading={endOthers.isPending}
            onClick={() => endOthers.mutate()}
          >
            {words.login.logOutOthers}
          </ActionButton>
        )
      }
      flush
    >
      <DataTable
        label={words.login.sessions}
        query={sessions}
        keyOf={({ session_id }) => session_id}
        columns={[
          {
            title: words.login.browser,
            cell: ({ user_agent, address }) => (
              <>
                {browserOf(user_agent)}
                <Text fz="sm" c="dimmed">
                  {address}
                </Text>
              </>
            ),
          },
          {
            title: words.lastSeen,
            cell: ({ current, last_seen_at }) =>
              current ? words.login.thisSession : <Time at={last_seen_at} />,
          },
          { title: words.login.loggedIn, from: 'sm', cell: ({ created_at }) => <Time at={created_at} /> },
          {
            title: '',
            number: true,
            cell: ({ session_id, current }) =>
              !current && (
                <Button size="compact-sm" variant="subtle" onClick={() => end.mutate(session_id)}>
                  {words.login.logOut}
                </Button>
              ),
          },
        ]}
        empty={null}
      />
    </Card>
  )
}

/** Returns the browser and system, such as `Firefox on Linux`; an unknown user agent is returned unchanged. */
function browserOf(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return words.login.unknownBrowser
  const browser = [
    ['Edg/', 'Edge'],
    ['OPR/', 'Opera'],
    ['Firefox/', 'Firefox'],
    ['Chrome/', 'Chrome'],
    ['Safari/', 'Safari'],
  ].find(([sign = '']) => userAgent.includes(sign))?.[1]
  const system = [
    ['Android', 'Android'],
    ['iPhone', 'iOS'],
    ['iPad', 'iPadOS'],
    ['Windows', 'Windows'],
    ['Mac OS X', 'macOS'],
    ['Linux', 'Linux'],
  ].find(([sign = '']) => userAgent.includes(sign))?.[1]
  if (browser === undefined) return userAgent.slice(0, 80)
  return system === undefined ? browser : fill(words.login.browserOn, { browser, system })
}
