/**
 * Everything a webhook receiver needs to verify deliveries, and its tests to make them: the public
 * door `trading-platform-sandbox/webhooks`. It opens no socket, reads no file and keeps nothing.
 */
export type { LikelyCause } from './host/webhooks/causes.ts';
export type { Diagnosis, DiagnosisStep, WebhookToDiagnose } from './host/webhooks/diagnose.ts';
export { diagnoseWebhook } from './host/webhooks/diagnose.ts';
export type { HeaderFault, HeaderValue } from './host/webhooks/header.ts';
export type {
  SignedWebhook,
  WebhookRefusal,
  WebhookToVerify,
  WebhookVerdict,
} from './host/webhooks/verify.ts';
export { defaultToleranceMs, signWebhook, verifyWebhook } from './host/webhooks/verify.ts';
