/** Entry point of `npm start`. */
import { serve } from "./serve.ts";

await serve();
