/** /forgot: requests a password reset link. Its message is the same whether there is an account or not. */
import "../app/zod-jitless.ts";

import { useState } from "react";
import { Link } from "wouter";
import { AuthColumns } from "../features/auth/AuthFrame.tsx";
import { ForgotForm } from "../features/auth/ForgotForm.tsx";

export function ForgotPage() {
  const [sent, setSent] = useState<string | null>(null);
  const swap = (
    <>
      Remembered it?{" "}
      <Link className="link" href="/auth">
        Sign in
      </Link>
    </>
  );
  return (
    <AuthColumns title="Forgot your password?" swap={swap}>
      {sent === null ? (
        <ForgotForm onSent={setSent} />
      ) : (
        <div className="sent">
          <div role="status">
            <p>{sent}</p>
            <p>The link in it works once, for 30 minutes. No message? Check your spam folder, or send another one.</p>
          </div>
          <button type="button" className="btn btn-block" onClick={() => setSent(null)}>
            Send Another
          </button>
        </div>
      )}
    </AuthColumns>
  );
}
