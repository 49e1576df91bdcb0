// Every page on one line, each loaded when it is first opened. A page's module exports it as `Component`.

import { Navigate, type RouteObject } from 'react-router'
import { BetweenPages } from './shell/between-pages.tsx'
import { RouteProblem } from './shell/route-problem.tsx'

const NotFound = () => <RouteProblem notFound />

/** Before the login. */
const outside: RouteObject[] = [
  { path: '/login', lazy: () => import('./pages/login/login-page.tsx') },
  { path: '/first-run', lazy: () => import('./pages/login/first-run-page.tsx') },
  { path: '/invitation', lazy: () => import('./pages/login/invitation-page.tsx') },
  { path: '/forgotten-password', lazy: () => import('./pages/login/forgotten-password-page.tsx') },
  { path: '/shared/:messageId', lazy: () => import('./pages/shared/shared-page.tsx') },
  { path: '/dns-records', lazy: () => import('./pages/domains/shared-records-page.tsx') },
  { path: '/reset-password', lazy: () => import('./pages/login/reset-password-page.tsx') },
]

/** Behind the login, inside the shell. */
const inside: RouteObject[] = [
  { index: true, lazy: () => import('./pages/home/home-page.tsx') },
  { path: '/activity', lazy: () => import('./pages/activity/activity-page.tsx') },
  { path: '/activity/requests', lazy: () => import('./pages/activity/requests-page.tsx') },
  { path: '/statistics', lazy: () => import('./pages/statistics/statistics-page.tsx') },
  { path: '/addresses/:email', lazy: () => import('./pages/addresses/address-page.tsx') },
  { path: '/domains', lazy: () => import('./pages/domains/domains-page.tsx') },
  { path: '/domains/:domainId', element: <Navigate to="messages" replace /> },
  { path: '/domains/:domainId/messages', lazy: () => import('./pages/messages/messages-page.tsx') },
  { path: '/domains/:domainId/messages/:messageId', lazy: () => import('./pages/messages/message-page.tsx') },
  { path: '/domains/:domainId/inbound', lazy: () => import('./pages/inbound/inbound-page.tsx') },
  {
    path: '/domains/:domainId/inbound/:inboundId',
    lazy: () => import('./pages/inbound/inbound-message-page.tsx'),
  },
  { path: '/domains/:domainId/bulk', lazy: () => import('./pages/bulk/bulks-page.tsx') },
  { path: '/domains/:domainId/bulk/new', lazy: () => import('./pages/bulk/new-bulk-page.tsx') },
  { path: '/domains/:domainId/bulk/:bulkId', lazy: () => import('./pages/bulk/bulk-page.tsx') },
  { path: '/domains/:domainId/templates', lazy: () => import('./pages/templates/templates-page.tsx') },
  { path: '/domains/:domainId/templates/:id', lazy: () => import('./pages/templates/template-page.tsx') },
  { path: '/domains/:domainId/layouts', lazy: () => import('./pages/templates/layouts-page.tsx') },
  { path: '/domains/:domainId/layouts/:id', lazy: () => import('./pages/templates/layout-page.tsx') },
  { path: '/domains/:domainId/streams', lazy: () => import('./pages/streams/streams-page.tsx') },
  {
    path: '/domains/:domainId/suppressions',
    lazy: () => import('./pages/suppressions/suppressions-page.tsx'),
  },
  { path: '/domains/:domainId/webhooks', lazy: () => import('./pages/webhooks/webhooks-page.tsx') },
  { path: '/domains/:domainId/webhooks/:webhookId', lazy: () => import('./pages/webhooks/webhook-page.tsx') },
  { path: '/domains/:domainId/keys', lazy: () => import('./pages/keys/keys-page.tsx') },
  { path: '/domains/:domainId/smtp', lazy: () => import('./pages/keys/smtp-page.tsx') },
  { path: '/domains/:domainId/settings', lazy: () => import('./pages/settings/settings-page.tsx') },
  { path: '/domains/:domainId/dns', lazy: () => import('./pages/domains/dns-page.tsx') },
  { path: '/mailbox/:mailId?', lazy: () => import('./pages/mailbox/mailbox-page.tsx') },
  { path: '/verification', lazy: () => import('./pages/verification/check-page.tsx') },
  { path: '/verification/lists', lazy: () => import('./pages/verification/lists-page.tsx') },
  { path: '/verification/lists/:verificationId', lazy: () => import('./pages/verification/list-page.tsx') },
  { path: '/verification/keys', lazy: () => import('./pages/verification/keys-page.tsx') },
  { path: '/verification/credits', lazy: () => import('./pages/verification/credits-page.tsx') },
  { path: '/account', lazy: () => import('./pages/account/account-page.tsx') },
  { path: '/account/users', lazy: () => import('./pages/account/users-page.tsx') },
  // The address until 0.1.
  { path: '/account/people', lazy: () => import('./pages/account/users-page.tsx') },
  { path: '/account/audit', lazy: () => import('./pages/account/audit-page.tsx') },
  { path: '/account/profile', lazy: () => import('./pages/account/profile-page.tsx') },
  { path: '/operator', lazy: () => import('./pages/operator/health-page.tsx') },
  { path: '/operator/queue', lazy: () => import('./pages/operator/queue-page.tsx') },
  { path: '/operator/queue/:destination', lazy: () => import('./pages/operator/destination-page.tsx') },
  { path: '/operator/accounts', lazy: () => import('./pages/operator/accounts-page.tsx') },
  { path: '/operator/nodes', lazy: () => import('./pages/operator/nodes-page.tsx') },
  { path: '*', Component: NotFound },
]

export const routes: RouteObject[] = [
  {
    Component: BetweenPages,
    ErrorBoundary: RouteProblem,
    HydrateFallback: () => null,
    children: [
      ...outside,
      {
        lazy: () => import('./shell/shell.tsx'),
        children: [{ ErrorBoundary: RouteProblem, children: inside }],
      },
    ],
  },
]
