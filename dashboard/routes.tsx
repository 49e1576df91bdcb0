// All pages, one per line; each page is loaded when it is first opened, and its module exports it as `Component`.

import { type ComponentType, Fragment, lazy, type ReactElement, type ReactNode, Suspense } from 'react'
import { matchPath, Navigate, Route, Routes, useParams } from 'react-router'
import { fetched } from './fetched.ts'
import { BetweenPages } from './shell/between-pages.tsx'
import { NotFound, ProblemBoundary } from './shell/route-problem.tsx'

type Load = () => Promise<{ readonly Component: ComponentType }>
type Line = readonly [path: string, load: Load]

const loadShell: Load = () => import('./shell/shell.tsx')

/** Pages without a login; the pages that lead to a login are a separate program (`outside.tsx`). */
const outside: readonly Line[] = [
  ['/shared/:messageId', () => import('./pages/shared/shared-page.tsx')],
  ['/shared-mails/:mailId', () => import('./pages/shared/shared-mail-page.tsx')],
  ['/dns-records', () => import('./pages/domains/shared-records-page.tsx')],
]

/** Pages that require a login, inside the shell. */
const inside: readonly Line[] = [
  ['/', () => import('./pages/home/home-page.tsx')],
  ['/activity', () => import('./pages/activity/activity-page.tsx')],
  ['/activity/requests', () => import('./pages/activity/requests-page.tsx')],
  ['/statistics', () => import('./pages/statistics/statistics-page.tsx')],
  ['/deliverability', () => import('./pages/deliverability/deliverability-page.tsx')],
  ['/deliverability/incidents/:incidentId', () => import('./pages/deliverability/incident-page.tsx')],
  ['/addresses/:email', () => import('./pages/addresses/address-page.tsx')],
  ['/domains', () => import('./pages/domains/domains-page.tsx')],
  ['/domains/:domainId/messages', () => import('./pages/messages/messages-page.tsx')],
  ['/domains/:domainId/messages/:messageId', () => import('./pages/messages/message-page.tsx')],
  ['/domains/:domainId/authentication', () => import('./pages/reports/authentication-page.tsx')],
  ['/domains/:domainId/inbound', () => import('./pages/inbound/inbound-page.tsx')],
  ['/domains/:domainId/inbound/:inboundId', () => import('./pages/inbound/inbound-message-page.tsx')],
  ['/domains/:domainId/bulk', () => import('./pages/bulk/bulks-page.tsx')],
  ['/domains/:domainId/bulk/new', () => import('./pages/bulk/new-bulk-page.tsx')],
  ['/domains/:domainId/bulk/:bulkId', () => import('./pages/bulk/bulk-page.tsx')],
  ['/domains/:domainId/templates', () => import('./pages/templates/templates-page.tsx')],
  ['/domains/:domainId/templates/:id', () => import('./pages/templates/template-page.tsx')],
  ['/domains/:domainId/layouts', () => import('./pages/templates/layouts-page.tsx')],
  ['/domains/:domainId/layouts/:id', () => import('./pages/templates/layout-page.tsx')],
  ['/domains/:domainId/streams', () => import('./pages/streams/streams-page.tsx')],
  ['/domains/:domainId/suppressions', () => import('./pages/suppressions/suppressions-page.tsx')],
  ['/domains/:domainId/webhooks', () => import('./pages/webhooks/webhooks-page.tsx')],
  ['/domains/:domainId/webhooks/:webhookId', () => import('./pages/webhooks/webhook-page.tsx')],
  ['/domains/:domainId/keys', () => import('./pages/keys/keys-page.tsx')],
  ['/domains/:domainId/smtp', () => import('./pages/keys/smtp-page.tsx')],
  ['/domains/:domainId/settings', () => import('./pages/settings/settings-page.tsx')],
  ['/domains/:domainId/dns', () => import('./pages/domains/dns-page.tsx')],
  ['/inboxes', () => import('./pages/inboxes/inboxes-page.tsx')],
  ['/inboxes/:inboxId/:mailId?', () => import('./pages/inboxes/inbox-page.tsx')],
  ['/mailbox', () => import('./pages/inboxes/mailbox-page.tsx')],
  ['/domains/:domainId/requirements', () => import('./pages/requirements/requirements-page.tsx')],
  ['/verification', () => import('./pages/verification/check-page.tsx')],
  ['/verification/lists', () => import('./pages/verification/lists-page.tsx')],
  ['/verification/lists/:verificationId', () => import('./pages/verification/list-page.tsx')],
  ['/verification/keys', () => import('./pages/verification/keys-page.tsx')],
  ['/verification/credits', () => import('./pages/verification/credits-page.tsx')],
  ['/account', () => import('./pages/account/account-page.tsx')],
  ['/account/users', () => import('./pages/account/users-page.tsx')],
  ['/account/keys', () => import('./pages/keys/management-keys-page.tsx')],
  ['/account/usage', () => import('./pages/account/usage-page.tsx')],
  ['/account/events', () => import('./pages/account/events-page.tsx')],
  ['/account/webhooks/:webhookId', () => import('./pages/account/webhook-page.tsx')],
  ['/account/audit', () => import('./pages/account/audit-page.tsx')],
  ['/account/profile', () => import('./pages/account/profile-page.tsx')],
  ['/operator', () => import('./pages/operator/health-page.tsx')],
  ['/operator/queue', () => import('./pages/operator/queue-page.tsx')],
  ['/operator/queue/:destination', () => import('./pages/operator/destination-page.tsx')],
  ['/operator/accounts', () => import('./pages/operator/accounts-page.tsx')],
  ['/operator/nodes', () => import('./pages/operator/nodes-page.tsx')],
  ['/operator/lists', () => import('./pages/operator/lists-page.tsx')],
]

/** Starts to load the files for a path before the session of the user is known. */
export function loadPageOf(pathname: string): void {
  const found = [...outside, ...inside].find(([path]) => matchPath(path, pathname) !== null)
  for (const load of [loadShell, found?.[1]]) void load?.().catch(() => {})
}

function page(load: Load): ReactElement {
  const Page = lazy(() => fetched(load).then(({ Component }) => ({ default: Component })))
  return <Page />
}

interface OfOneProps {
  /**
   * Path parameters that identify the page; an optional parameter is not included, because it opens a part of the page.
   */
  readonly named: readonly string[]
  readonly children: ReactNode
}

/**
 * Creates a new page for each domain, message and so on, so that typed text, selections and pending requests of one
 * page do not continue in the next.
 */
function OfOne({ named, children }: OfOneProps) {
  const values = useParams()
  return <Fragment key={named.map((name) => values[name]).join('/')}>{children}</Fragment>
}

const namedIn = (path: string): string[] =>
  [...path.matchAll(/:(\w+)(?![\w?])/g)].map(([, name = '']) => name)

const routesOf = (lines: readonly Line[]) =>
  lines.map(([path, load]) => (
    <Route
      key={path}
      path={path}
      element={
        <ProblemBoundary>
          <OfOne named={namedIn(path)}>{page(load)}</OfOne>
        </ProblemBoundary>
      }
    />
  ))

const routes = (
  <Route element={<BetweenPages />}>
    {routesOf(outside)}
    <Route element={page(loadShell)}>
      {routesOf(inside)}
      <Route path="/domains/:domainId" element={<Navigate to="messages" replace />} />
      <Route path="*" element={<NotFound />} />
    </Route>
  </Route>
)

/** The page for the current URL; the previous page stays until the new page is loaded. */
export const Pages = () => (
  <ProblemBoundary>
    <Suspense fallback={<div className="starting" aria-hidden="true" />}>
      <Routes>{routes}</Routes>
    </Suspense>
  </ProblemBoundary>
)
