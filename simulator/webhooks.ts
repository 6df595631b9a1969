/**
 * Everything a webhook receiver needs to verify deliveries, and its tests to create them: the entry
 * point `trading-platform-sandbox/webhooks`. It opens no socket, reads no file and keeps no state.
 */

export type {
  Diagnosis,
  DiagnosisStep,
  LikelyCause,
  WebhookToDiagnose,
} from './host/signing/diagnose.ts';
export { diagnoseWebhook } from './host/signing/diagnose.ts';
export type {
  HeaderFault,
  HeaderValue,
  SignedWebhook,
  WebhookRefusal,
  WebhookToVerify,
  WebhookVerdict,
} from './host/signing/verify.ts';
export { defaultToleranceMs, signWebhook, verifyWebhook } from './host/signing/verify.ts';
