// Results of SPF, DKIM, DMARC and ARC for an inbound message.

import { Text } from '@mantine/core'
import { Facts } from '../../parts/facts.tsx'
import { inWords } from '../../parts/in-words.ts'
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx'
import { inbound as words } from '../../texts/en/inbound.ts'
import { fill } from '../../texts/texts.ts'
import type { Inbound, InboundLine } from './calls.ts'

const TONES: Readonly<Record<string, Tone>> = {
  pass: 'good',
  fail: 'bad',
  softfail: 'waiting',
  permerror: 'waiting',
  temperror: 'waiting',
  policy: 'waiting',
}

const Result = ({ result }: { readonly result: string }) => (
  <StatusBadge status={result} label={inWords(result)} tone={TONES[result] ?? 'quiet'} />
)

/** Badge with the DMARC result, which decides for the domain of the author. */
export const AuthenticationBadge = ({ message }: { readonly message: InboundLine }) => {
  if (message.status === 'received') return <StatusBadge status="pending" />
  return message.authentication === null ? null : <Result result={message.authentication.dmarc.result} />
}

type Results = NonNullable<Inbound['authentication']>

export function Authentication({ results }: { readonly results: Results | null }) {
  if (results === null) return <Text c="dimmed">{words.noResults}</Text>
  const { spf, dkim, dmarc, arc, header } = results
  return (
    <Facts
      facts={[
        [
          'DMARC',
          <With
            key="dmarc"
            result={dmarc.result}
            more={[dmarc.domain, dmarc.policy && fill(words.policy, { policy: dmarc.policy })]}
          />,
        ],
        ['SPF', <With key="spf" result={spf.result} more={[spf.domain]} />],
        ...dkim.map(
          ({ result, domain, selector, aligned }, index) =>
            [
              dkim.length > 1 ? `DKIM ${index + 1}` : 'DKIM',
              <With
                key="dkim"
                result={result}
                more={[
                  domain,
                  selector && fill(words.selector, { selector }),
                  aligned ? words.aligned : words.notAligned,
                ]}
              />,
            ] as const,
        ),
        ['DKIM', dkim.length === 0 && words.noSignature],
        ['ARC', <With key="arc" result={arc.result} more={[]} />],
        [
          words.headerField,
          <span key="header" className="code-line wrap-anywhere">
            {header}
          </span>,
        ],
      ]}
    />
  )
}

interface WithProps {
  readonly result: string
  readonly more: readonly (string | null)[]
}

const With = ({ result, more }: WithProps) => (
  <>
    <Result result={result} />
    <Text span c="dimmed" fz="sm">
      {more.filter((one) => one).map((one) => ` · ${one}`)}
    </Text>
  </>
)
